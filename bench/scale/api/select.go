package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// selection is what of a collection a request is about.
type selection struct{ labels, fields string }

func selectionOf(query url.Values) selection {
	return selection{labels: query.Get("labelSelector"), fields: query.Get("fieldSelector")}
}

// byLabels answers whether an object has the labels, of the form `name=value,…`.
func (s selection) byLabels(o *object) bool {
	if s.labels == "" {
		return true
	}
	for _, each := range strings.Split(s.labels, ",") {
		name, value, _ := strings.Cut(each, "=")
		if text(o.labels[name]) != value {
			return false
		}
	}
	return true
}

// byFields answers whether an object is what the field selector asks for. It knows pods' phases, of the form
// `status.phase!=Succeeded,…`: pods of this cluster never finish, unless they were put with a phase.
func (s selection) byFields(o *object) bool {
	if s.fields == "" || o.pod != nil {
		return true
	}
	status, _ := o.document()["status"].(document)
	for _, each := range strings.Split(s.fields, ",") {
		name, value, _ := strings.Cut(each, "!=")
		if name == "status.phase" && text(status["phase"]) == value {
			return false
		}
	}
	return true
}

// form is how objects are sent.
type form = func(*object) []byte

// shownBy answers how a request asks for objects: whole, or only their metadata.
func shownBy(r *http.Request) form {
	if !strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata") {
		return (*object).json
	}
	return func(o *object) []byte {
		shown, _ := json.Marshal(document{
			"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": o.document()["metadata"],
		})
		return shown
	}
}
