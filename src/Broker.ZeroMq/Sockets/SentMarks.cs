using System.Runtime.InteropServices;

namespace Broker.ZeroMq.Sockets;

/// <summary>
/// Tells from the octets that a connection has sent how many messages these were: pairs of both, one for some messages, oldest first.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal struct SentMarks
{
    // A power of two, and more than the steps of a high-water mark.
    private const int Capacity = 32;

    private readonly (long Position, long Messages)[] _marks = new (long, long)[Capacity];
    private int _first;
    private int _count;

    public SentMarks()
    {
    }

    /// <summary>How many messages are known to have been sent.</summary>
    internal long Sent { get; private set; }

    /// <summary>How many were written by the latest mark.</summary>
    internal long Written { get; private set; }

    /// <summary>At this position of the stream so many messages have been written in all.</summary>
    internal void Add(long position, long messages)
    {
        Written = messages;
        if (_count == Capacity)
        {
            // More than a mark's steps wait: after a backlog. The two oldest count as one.
            _first = (_first + 1) & (Capacity - 1);
            _count--;
        }

        _marks[(_first + _count++) & (Capacity - 1)] = (position, messages);
    }

    /// <summary>The connection has sent this much.</summary>
    internal void Advance(long sentBytes)
    {
        while (_count > 0 && _marks[_first].Position <= sentBytes)
        {
            Sent = _marks[_first].Messages;
            _first = (_first + 1) & (Capacity - 1);
            _count--;
        }
    }

    /// <summary>Up to which position must be sent, so that no more than <paramref name="most"/> messages wait.</summary>
    internal readonly long PositionFor(long most)
    {
        for (int i = 0; i < _count; i++)
        {
            var mark = _marks[(_first + i) & (Capacity - 1)];
            if (Written - mark.Messages <= most)
            {
                return mark.Position;
            }
        }

        return 0;
    }

    /// <summary>A new connection: nothing is written.</summary>
    internal void Reset()
    {
        _first = _count = 0;
        Sent = Written = 0;
    }
}
