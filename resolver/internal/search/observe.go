package search

// Observer is told what a search does, as it does it. The state is only for reading.
type Observer interface {
	// Began: the decisions are begun from the start, with nothing chosen.
	Began(st *State)
	// TakenUp: the decision at a place of the queue is taken up.
	TakenUp(st *State, at int)
	// Satisfied: what is chosen already satisfies it.
	Satisfied(st *State, at int)
	// Refused: its i-th option is refuted by what is chosen.
	Refused(st *State, at, i int, o Option)
	// Chosen: its i-th option is about to be chosen.
	Chosen(st *State, at, i int, o Option)
	// DeadEnd: it has no option left.
	DeadEnd(st *State, at int)
	// Back: the choices from the i-th on are about to be undone. The solver says so,
	// or all ways on have ended.
	Back(st *State, i int, solver bool)
}

// teller tells the observer of a search, if there is one. Its methods return at once
// where there is none, and are small enough to be inlined for that.
type teller struct{ Observer }

func (t teller) began(st *State) {
	if t.Observer != nil {
		t.Began(st)
	}
}

func (t teller) takenUp(st *State, at int) {
	if t.Observer != nil {
		t.TakenUp(st, at)
	}
}

func (t teller) satisfied(st *State, at int) {
	if t.Observer != nil {
		t.Satisfied(st, at)
	}
}

func (t teller) refused(st *State, at, i int, o Option) {
	if t.Observer != nil {
		t.Refused(st, at, i, o)
	}
}

func (t teller) chosen(st *State, at, i int, o Option) {
	if t.Observer != nil {
		t.Chosen(st, at, i, o)
	}
}

func (t teller) deadEnd(st *State, at int) {
	if t.Observer != nil {
		t.DeadEnd(st, at)
	}
}

func (t teller) back(st *State, i int, solver bool) {
	if t.Observer != nil {
		t.Back(st, i, solver)
	}
}
