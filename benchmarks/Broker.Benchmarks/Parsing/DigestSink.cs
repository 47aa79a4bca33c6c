using System.Runtime.InteropServices;
using Broker.Server.Collections;

namespace Broker.Benchmarks.Parsing;

/// <summary>Every byte of every operation in order, as one number: parsers that agree on it agree.</summary>
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
