using System.Text;

namespace Broker.Server;

/// <summary>The entries of an allow list that name reserved subjects. Immutable and thread-safe.</summary>
/// <param name="allow">The allow list. Its entries are valid.</param>
/// <param name="queues">Whether an entry may contain a queue group.</param>
internal sealed class NamedSubjects(IReadOnlyList<string> allow, bool queues)
{
    private volatile Result? _last;

    /// <summary>Returns the entries that match only reserved subjects.</summary>
    internal SubjectSet Within(SubjectSet reserved)
    {
        // The set is nearly always the same object: it changes only when a bridge starts or ends a route.
        if (_last is not { } last || last.Reserved != reserved)
        {
            _last = last = new Result(reserved, new SubjectSet(allow.Where(entry => IsWithin(entry, reserved)), queues));
        }

        return last.Named;
    }

    private static bool IsWithin(string entry, SubjectSet reserved)
        => reserved.Cover(Encoding.UTF8.GetBytes(entry.Split(' ', '\t')[0]), default).Plain;

    private sealed record Result(SubjectSet Reserved, SubjectSet Named);
}
