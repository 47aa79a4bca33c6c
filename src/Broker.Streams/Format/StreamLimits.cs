using System.Buffers.Binary;

namespace Broker.Streams;

/// <summary>The limits of a stream. Zero means no limit. The oldest messages beyond a limit are deleted.</summary>
internal readonly record struct StreamLimits
{
    internal const int EncodedLength = 36;

    internal long MaxMessages { get; init; }

    /// <summary>The most bytes of all records of the stream together.</summary>
    internal long MaxBytes { get; init; }

    /// <summary>The greatest age of a message. It applies when the store is asked to expire messages.</summary>
    internal TimeSpan MaxAge { get; init; }

    internal int MaxPerSubject { get; init; }

    internal void Write(Span<byte> bytes, ulong firstSequence)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, firstSequence);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], MaxMessages);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[16..], MaxBytes);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[24..], MaxAge.Ticks);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[32..], MaxPerSubject);
    }

    internal static bool TryRead(ReadOnlySpan<byte> bytes, out StreamLimits limits, out ulong firstSequence)
    {
        limits = default;
        firstSequence = 0;
        if (bytes.Length != EncodedLength)
        {
            return false;
        }

        firstSequence = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        limits = new StreamLimits
        {
            MaxMessages = BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]),
            MaxBytes = BinaryPrimitives.ReadInt64LittleEndian(bytes[16..]),
            MaxAge = TimeSpan.FromTicks(BinaryPrimitives.ReadInt64LittleEndian(bytes[24..])),
            MaxPerSubject = BinaryPrimitives.ReadInt32LittleEndian(bytes[32..]),
        };
        return true;
    }
}
