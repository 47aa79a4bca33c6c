using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Broker.ZeroMq.Loops;

/// <summary>The routing ids of a ROUTER's peers. Used on the socket's loop, except <see cref="Contains"/>.</summary>
internal sealed class RoutingIds
{
    // Taken for changes on the loop and for lookups on other threads.
    private readonly Lock _gate = new();
    private readonly Dictionary<byte[], OutboundPipe> _pipes = new(new Comparer());
    private readonly Dictionary<byte[], OutboundPipe>.AlternateLookup<ReadOnlySpan<byte>> _bySpan;

    // A random start, so that the ids of a restarted program differ from those before the restart.
    private uint _next = (uint)Random.Shared.Next();

    private readonly int _size;

    /// <param name="size">The size of a generated id in bytes.</param>
    internal RoutingIds(int size)
    {
        _size = size;
        _bySpan = _pipes.GetAlternateLookup<ReadOnlySpan<byte>>();
    }

    internal OutboundPipe? Find(ReadOnlySpan<byte> id) => _bySpan.TryGetValue(id, out OutboundPipe? pipe) ? pipe : null;

    /// <summary>
    /// Whether this pipe still has its routing id: the pipe belongs to this socket, and no other pipe has taken over
    /// the id.
    /// </summary>
    internal bool Has(OutboundPipe pipe) => pipe.RoutingId is { } id && Find(id) == pipe;

    /// <summary>
    /// Whether a peer has this id. May be called on any thread; the result may be out of date at once.
    /// </summary>
    internal bool Contains(ReadOnlySpan<byte> id)
    {
        lock (_gate)
        {
            return _bySpan.ContainsKey(id);
        }
    }

    internal void Set(byte[] id, OutboundPipe pipe)
    {
        lock (_gate)
        {
            _pipes[id] = pipe;
        }
    }

    internal void Remove(byte[] id, OutboundPipe pipe)
    {
        if (_pipes.TryGetValue(id, out OutboundPipe? found) && found == pipe)
        {
            lock (_gate)
            {
                _pipes.Remove(id);
            }
        }
    }

    /// <summary>
    /// Generates an id for a peer that announces none: a byte 0 and a number. By RFC 28 no peer chooses such an id, but
    /// some do, so that an id in use is not generated.
    /// </summary>
    internal byte[] Generate()
    {
        byte[] id = new byte[_size];
        do
        {
            BinaryPrimitives.WriteUInt32BigEndian(id.AsSpan(_size - sizeof(uint)), _next++);
            id[0] = 0;
        }
        while (_pipes.ContainsKey(id));

        return id;
    }

    private sealed class Comparer : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
    {
        public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

        public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

        public int GetHashCode([DisallowNull] byte[] obj) => GetHashCode(obj.AsSpan());

        // The hash has a random seed per process, because peers choose their ids.
        public int GetHashCode(ReadOnlySpan<byte> alternate)
        {
            var hash = new HashCode();
            hash.AddBytes(alternate);
            return hash.ToHashCode();
        }

        public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
    }
}
