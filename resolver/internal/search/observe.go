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

// The see functions tell the observer. Each returns at once when there is none, and
// is small enough to be inlined for that.

func (st *State) seeStart() {
	if st.opts.Observer != nil {
		st.opts.Observer.Began(st)
	}
}

func (st *State) seeSettled(at int) {
	if st.opts.Observer != nil {
		st.opts.Observer.Satisfied(st, at)
	}
}

func (st *State) seeDecide(at int) {
	if st.opts.Observer != nil {
		st.opts.Observer.TakenUp(st, at)
	}
}

func (st *State) seeRefused(at, i int, o Option) {
	if st.opts.Observer != nil {
		st.opts.Observer.Refused(st, at, i, o)
	}
}

func (st *State) seeChoice(at, i int, o Option) {
	if st.opts.Observer != nil {
		st.opts.Observer.Chosen(st, at, i, o)
	}
}

func (st *State) seeDeadEnd(at int) {
	if st.opts.Observer != nil {
		st.opts.Observer.DeadEnd(st, at)
	}
}

func (st *State) seeBack(i int, solver bool) {
	if st.opts.Observer != nil {
		st.opts.Observer.Back(st, i, solver)
	}
}
