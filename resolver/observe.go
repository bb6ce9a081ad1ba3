package resolver

// observer is told what a search does, as it does it. The state is only for reading.
type observer interface {
	// Began: the decisions are begun from the start, with nothing chosen.
	Began(st *state)
	// TakenUp: the decision at a place of the queue is taken up.
	TakenUp(st *state, at int)
	// Satisfied: what is chosen already satisfies it.
	Satisfied(st *state, at int)
	// Refused: its i-th option is refuted by what is chosen.
	Refused(st *state, at, i int, o option)
	// Chosen: its i-th option is about to be chosen.
	Chosen(st *state, at, i int, o option)
	// DeadEnd: it has no option left.
	DeadEnd(st *state, at int)
	// Back: the choices from the i-th on are about to be undone. The solver says so,
	// or all ways on have ended.
	Back(st *state, i int, solver bool)
}

// The see functions tell the observer. Each returns at once when there is none, and
// is small enough to be inlined for that.

func (st *state) seeStart() {
	if st.opts.Observer != nil {
		st.opts.Observer.Began(st)
	}
}

func (st *state) seeSettled(at int) {
	if st.opts.Observer != nil {
		st.opts.Observer.Satisfied(st, at)
	}
}

func (st *state) seeDecide(at int) {
	if st.opts.Observer != nil {
		st.opts.Observer.TakenUp(st, at)
	}
}

func (st *state) seeRefused(at, i int, o option) {
	if st.opts.Observer != nil {
		st.opts.Observer.Refused(st, at, i, o)
	}
}

func (st *state) seeChoice(at, i int, o option) {
	if st.opts.Observer != nil {
		st.opts.Observer.Chosen(st, at, i, o)
	}
}

func (st *state) seeDeadEnd(at int) {
	if st.opts.Observer != nil {
		st.opts.Observer.DeadEnd(st, at)
	}
}

func (st *state) seeBack(i int, solver bool) {
	if st.opts.Observer != nil {
		st.opts.Observer.Back(st, i, solver)
	}
}
