using System.Text;
using Broker.Protocol;

namespace Broker.Testing;

/// <summary>
/// The filters of a broker's recorders. With them, a wait for a program's subscriptions can leave out the subscriptions
/// of recorders.
/// </summary>
internal sealed class RecorderRegister
{
    private readonly List<byte[]> _filters = [];

    internal void Add(string filter)
    {
        lock (_filters)
        {
            _filters.Add(Encoding.UTF8.GetBytes(filter));
        }
    }

    internal void Remove(string filter)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(filter);
        lock (_filters)
        {
            int at = _filters.FindIndex(f => f.AsSpan().SequenceEqual(bytes));
            if (at >= 0)
            {
                _filters.RemoveAt(at);
            }
        }
    }

    internal int CountFor(string subject)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(subject);
        lock (_filters)
        {
            return _filters.Count(f => Subject.Matches(f, bytes));
        }
    }
}
