using System.Buffers;

namespace Broker.Client;

/// <summary>Passes bytes on unchanged: arrays, <see cref="ReadOnlyMemory{T}"/> and <see cref="Memory{T}"/>.</summary>
public sealed class RawEncoder : IMessageEncoder
{
    /// <summary>The only instance. The encoder has no settings.</summary>
    public static RawEncoder Instance { get; } = new();

    private RawEncoder()
    {
    }

    /// <inheritdoc/>
    public void Encode<T>(T value, IBufferWriter<byte> body)
    {
        ArgumentNullException.ThrowIfNull(body);
        body.Write(value switch
        {
            byte[] array => array,
            ReadOnlyMemory<byte> memory => memory.Span,
            Memory<byte> memory => memory.Span,
            _ => throw NotKnown(typeof(T)),
        });
    }

    /// <inheritdoc/>
    public T Decode<T>(ReadOnlySpan<byte> body)
        => typeof(T) == typeof(byte[]) ? (T)(object)body.ToArray()
            : typeof(T) == typeof(ReadOnlyMemory<byte>) ? (T)(object)new ReadOnlyMemory<byte>(body.ToArray())
            : typeof(T) == typeof(Memory<byte>) ? (T)(object)new Memory<byte>(body.ToArray())
            : throw NotKnown(typeof(T));

    private static NotSupportedException NotKnown(Type type) => new($"RawEncoder supports byte[], ReadOnlyMemory<byte> and Memory<byte>, not {type}.");
}
