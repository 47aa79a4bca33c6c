using System.Buffers;

namespace Broker.Client;

/// <summary>
/// Converts values to bodies and bodies to values for an <see cref="EncodedConnection"/>. It is called on any thread,
/// and on several threads at once.
/// </summary>
public interface IMessageEncoder
{
    /// <summary>Writes a value as a body.</summary>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    void Encode<T>(T value, IBufferWriter<byte> body);

    /// <summary>Reads a value from a body. The span is valid until the method returns.</summary>
    /// <exception cref="FormatException">The body does not contain a value of the type.</exception>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    T Decode<T>(ReadOnlySpan<byte> body);
}
