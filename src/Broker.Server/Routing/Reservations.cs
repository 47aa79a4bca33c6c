using System.Text;

namespace Broker.Server;

/// <summary>
/// The reserved subjects of one account: those that only some clients may use. Thread-safe.
/// </summary>
/// <remarks>
/// A client may use them if it connects through the dialer of a reservation, or if an allowed entry of its permissions
/// names them. A wider entry, such as <c>&gt;</c>, does not name them. A subscription to a wider filter does not receive
/// their messages, whoever its client is.
/// </remarks>
internal sealed class Reservations(Router router)
{
    private readonly Lock _gate = new();

    // Several reservations may have the same filter.
    private readonly Dictionary<string, (ReservedFilter Mark, int Count)> _filters = new(StringComparer.Ordinal);
    private volatile SubjectSet? _subjects;

    /// <summary>The reserved subjects; null if there are none.</summary>
    internal SubjectSet? Subjects => _subjects;

    /// <summary>Replaces the filters of one reservation. They must be valid.</summary>
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

            // A route that is built because of a changed mark must already be checked against the new set.
            _subjects = _filters.Count == 0 ? null : new SubjectSet(_filters.Keys, queues: false);
            added.ForEach(router.Add);
            removed.ForEach(mark => router.Remove(mark));
        }
    }
}
