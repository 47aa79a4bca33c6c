using Broker.Server.Security;
using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>A client on its way in: nothing of what it sends but CONNECT is looked at. On the session's loop.</summary>
internal sealed class Admission(HeldBytes budget)
{
    private byte[] _rest = [];
    private int _length;

    /// <summary>When it takes too long; null for a client that is in and says CONNECT again.</summary>
    internal LoopTimer? Deadline { get; set; }

    /// <summary>Whether it has said CONNECT and waits for what comes of it.</summary>
    internal bool IsDeciding { get; set; }

    /// <summary>How long the rest must be before it is worth a look; 0 when unknown.</summary>
    internal int Needed { get; set; }

    /// <summary>What has come behind CONNECT.</summary>
    internal ReadOnlySpan<byte> Rest => _rest.AsSpan(0, _length);

    /// <summary>Keeps bytes until it is decided. False when it is too much.</summary>
    internal bool TryHold(ReadOnlySpan<byte> bytes)
    {
        if (_length + bytes.Length > HeldBytes.MostOfOne || !budget.TryAdd(bytes.Length))
        {
            return false;
        }

        Append(bytes);
        return true;
    }

    /// <summary>Adds what completes an operation of a client that has been let in; the parser's limits bound it.</summary>
    internal void Append(ReadOnlySpan<byte> bytes)
    {
        if (_length + bytes.Length > _rest.Length)
        {
            Array.Resize(ref _rest, Math.Max(_length + bytes.Length, Math.Min(_rest.Length * 2, Array.MaxLength)));
        }

        bytes.CopyTo(_rest.AsSpan(_length));
        _length += bytes.Length;
    }

    /// <summary>It is decided: what was kept no longer counts.</summary>
    internal void EndHold()
    {
        IsDeciding = false;
        budget.Remove(_length);
    }

    internal void DropFirst(int count)
    {
        _rest.AsSpan(count, _length - count).CopyTo(_rest);
        _length -= count;
    }
}
