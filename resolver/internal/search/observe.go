package search

// Observer is called during a search, in the order of its work. The state is only for reading.
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
