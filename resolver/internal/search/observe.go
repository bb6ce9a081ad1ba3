package search

// Observer is called during a search, in the order of its work, about a decision at a place
// of the queue and its i-th option. The state is only for reading.
type Observer func(st *State, what Happening, at, i int, o Option)

// Happening is what happens in a search.
type Happening uint8

const (
	Began        Happening = iota // the decisions are begun from the start, with nothing chosen
	TakenUp                       // a decision is taken up
	Satisfied                     // what is chosen already satisfies it
	Refused                       // an option is refuted by what is chosen
	Chosen                        // an option is about to be chosen
	DeadEnd                       // no option is left
	Back                          // the choices from the i-th on are about to be undone: all ways on have ended
	BackBySolver                  // likewise, the solver says so
)

func (st *State) tell(what Happening, at, i int, o Option) {
	if st.observer != nil {
		st.observer(st, what, at, i, o)
	}
}
