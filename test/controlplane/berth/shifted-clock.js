// Imported before a program: its wall clock stands so many milliseconds later as the query says (`?millis=-3600000`).
const millis = Number(new URL(import.meta.url).searchParams.get('millis'));
const now = Date.now.bind(Date);
Date.now = () => now() + millis;
