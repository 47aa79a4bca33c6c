using System.Buffers;

namespace Broker.Client.Encoded;

/// <summary>Makes bodies of values and values of bodies, for an <see cref="EncodedConnection"/>. Used by any thread, several at a time.</summary>
public interface IMessageEncoder
{
    /// <summary>Writes a body.</summary>
    /// <exception cref="NotSupportedException">The encoder does not know the type.</exception>
    void Encode<T>(T value, IBufferWriter<byte> body);

    /// <summary>Reads a body, which is borrowed until the return.</summary>
    /// <exception cref="FormatException">It is no such value.</exception>
    /// <exception cref="NotSupportedException">The encoder does not know the type.</exception>
    T Decode<T>(ReadOnlySpan<byte> body);
}
