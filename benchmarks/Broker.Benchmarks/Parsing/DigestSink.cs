using System.Runtime.InteropServices;
using Broker.Server;

namespace Broker.Benchmarks.Parsing;

/// <summary>
/// Combines every byte of every operation, in order, into one number. Parsers with the same number agree.
/// </summary>
internal record struct DigestSink : IPublishSink
{
    internal int Count { get; private set; }

    internal ulong Digest { get; private set; }

    public void Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> payload)
    {
        Count++;
        Add(subject);
        Add(replyTo);
        Add(payload);
    }

    private void Add(ReadOnlySpan<byte> part)
    {
        ReadOnlySpan<ulong> state = [Digest];
        uint low = ByteHash.Compute(part, Digest);
        uint high = ByteHash.Compute(MemoryMarshal.AsBytes(state), low);
        Digest = ((ulong)high << 32) | low;
    }
}
