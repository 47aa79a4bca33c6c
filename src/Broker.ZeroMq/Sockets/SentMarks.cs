using System.Runtime.InteropServices;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// Converts a number of sent bytes into a number of sent messages. It stores marks, oldest first: each mark is a
/// position in the stream and the number of messages up to this position. One mark stands for several messages.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal struct SentMarks
{
    // A power of two that is larger than the number of steps of a high-water mark.
    private const int Capacity = 32;

    private readonly (long Position, long Messages)[] _marks = new (long, long)[Capacity];
    private int _first;
    private int _count;

    public SentMarks()
    {
    }

    /// <summary>The number of messages that are known to have been sent.</summary>
    internal long Sent { get; private set; }

    /// <summary>The number of messages that were written up to the latest mark.</summary>
    internal long Written { get; private set; }

    /// <summary>Records how many messages in total had been written at this position of the stream.</summary>
    internal void Add(long position, long messages)
    {
        Written = messages;
        if (_count == Capacity)
        {
            // More marks are pending than a high-water mark has steps, for example after a backlog. Merge the two
            // oldest marks.
            _first = (_first + 1) & (Capacity - 1);
            _count--;
        }

        _marks[(_first + _count++) & (Capacity - 1)] = (position, messages);
    }

    /// <summary>Updates <see cref="Sent"/>: the connection has sent this many bytes.</summary>
    internal void Advance(long sentBytes)
    {
        while (_count > 0 && _marks[_first].Position <= sentBytes)
        {
            Sent = _marks[_first].Messages;
            _first = (_first + 1) & (Capacity - 1);
            _count--;
        }
    }

    /// <summary>
    /// Returns the position in the stream up to which bytes must have been sent, so that no more than
    /// <paramref name="most"/> messages are pending.
    /// </summary>
    internal readonly long PositionFor(long most)
    {
        for (int i = 0; i < _count; i++)
        {
            (long Position, long Messages) mark = _marks[(_first + i) & (Capacity - 1)];
            if (Written - mark.Messages <= most)
            {
                return mark.Position;
            }
        }

        return 0;
    }

    /// <summary>Resets the marks for a new connection.</summary>
    internal void Reset()
    {
        _first = _count = 0;
        Sent = Written = 0;
    }
}
