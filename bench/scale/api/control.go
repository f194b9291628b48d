package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// control is what the bench asks beside Kubernetes: none of it is counted.
type control struct{ *cluster }

func (c control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number := func(name string) int {
		value, _ := strconv.Atoi(r.URL.Query().Get(name))
		return value
	}
	switch r.URL.Path {
	case "/bench/objects":
		if err := c.putAll(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	case "/bench/pods":
		var loads []nodeLoad
		if err := json.NewDecoder(r.Body).Decode(&loads); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.Lock()
		c.life.seed(loads)
		c.Unlock()
	case "/bench/pending":
		c.life.burst(number("pods"), number("shapes"))
	case "/bench/churn":
		go c.life.churn(number("perSecond"), time.Duration(number("seconds"))*time.Second)
	case "/bench/reset":
		c.Lock()
		c.audit = map[string]*count{}
		c.Unlock()
	case "/bench/state":
		c.sendState(w)
		return
	case "/bench/journal":
		c.Lock()
		entries, _ := json.Marshal(c.journal.entries)
		c.Unlock()
		send(w, http.StatusOK, entries)
		return
	case "/bench/unplaced":
		c.Lock()
		left := c.life.unplaced()
		c.Unlock()
		send(w, http.StatusOK, []byte(strconv.Itoa(left)))
		return
	default:
		http.NotFound(w, r)
		return
	}
	send(w, http.StatusOK, []byte("{}"))
}

// putAll stores the objects of the body, one a line, in the collection that the query names.
func (c control) putAll(r *http.Request) error {
	collection := r.URL.Query().Get("collection")
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var content document
		if err := json.Unmarshal(lines.Bytes(), &content); err != nil {
			return err
		}
		c.Lock()
		c.put(collection, content)
		c.Unlock()
	}
	return lines.Err()
}

func (c control) sendState(w http.ResponseWriter) {
	c.Lock()
	defer c.Unlock()
	marks := map[string]int64{}
	for name, at := range c.marks {
		marks[name] = at.UnixMilli()
	}
	sizes := map[string]int{}
	for name, each := range c.collections {
		sizes[resource(name)] = len(each.objects)
	}
	state, _ := json.Marshal(document{
		"audit": c.audit, "marks": marks, "objects": sizes, "bound": c.life.bound,
		"openClaims": len(c.collection(claims).objects) - len(c.life.launched),
		"journal":    len(c.journal.entries),
	})
	send(w, http.StatusOK, state)
}
