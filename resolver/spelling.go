package resolver

import "iter"

// subscriptionNames goes through the names of the subscriptions of a request.
func subscriptionNames(req *Request) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range req.Subscriptions {
			if !yield(req.Subscriptions[i].Name) {
				return
			}
		}
		for i := range req.Extensions {
			if !yield(req.Extensions[i].Name) {
				return
			}
		}
	}
}

// installedNames goes through the names of what is installed.
func installedNames(req *Request) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range req.Installed {
			if !yield(req.Installed[i].Name) {
				return
			}
		}
	}
}
