using System.Text;

namespace Broker.Server;

/// <summary>
/// The reserved subjects of one account, which only some clients may use. Thread-safe.
/// </summary>
/// <remarks>
/// A client may use a reserved subject if it connects through the dialer of a reservation. It may also use the subject
/// if an allowed entry of its permissions matches the subject, and the entry matches reserved subjects only. A wider
/// entry, such as <c>&gt;</c>, is not sufficient. A subscription to a filter that also matches other subjects receives
/// no messages of reserved subjects, whoever its client is.
/// </remarks>
internal sealed class Reservations(Router router)
{
    private readonly Lock _gate = new();

    // Several reservations may have the same filter.
    private readonly Dictionary<string, (ReservedFilter Mark, int Count)> _filters = new(StringComparer.Ordinal);
    private volatile SubjectSet? _subjects;

    /// <summary>The reserved subjects; null if no subject is reserved.</summary>
    internal SubjectSet? Subjects => _subjects;

    /// <summary>Replaces the filters of one reservation. The new filters must be valid.</summary>
    internal void Replace(IReadOnlyCollection<string> before, IReadOnlyCollection<string> after)
    {
        lock (_gate)
        {
            var added = new List<ReservedFilter>();
            var removed = new List<ReservedFilter>();
            foreach (string filter in after)
            {
                (ReservedFilter? mark, int count) = _filters.GetValueOrDefault(filter);
                if (mark is null)
                {
                    added.Add(mark = new ReservedFilter(Encoding.UTF8.GetBytes(filter)));
                }

                _filters[filter] = (mark, count + 1);
            }

            foreach (string filter in before)
            {
                (ReservedFilter mark, int count) = _filters[filter];
                if (count > 1)
                {
                    _filters[filter] = (mark, count - 1);
                }
                else
                {
                    _filters.Remove(filter);
                    removed.Add(mark);
                }
            }

            // Set the subjects before the marks change: each changed mark expires routes, and these routes must be
            // built with the new subjects.
            _subjects = _filters.Count == 0 ? null : new SubjectSet(_filters.Keys, queues: false);
            added.ForEach(router.Add);
            removed.ForEach(mark => router.Remove(mark));
        }
    }
}
