using System.Buffers.Text;

namespace Broker.Bridge;

/// <summary>
/// Writes header blocks that all begin with the same lines, always into the same array. Used on one loop.
/// </summary>
internal sealed class HeaderBuilder
{
    // Enough for all lines that can follow the start of a block, with numbers of 19 digits.
    private const int Room = 256;

    private readonly byte[] _bytes;
    private readonly int _start;
    private int _at;

    /// <param name="start">The complete lines after the version line that all blocks begin with.</param>
    internal HeaderBuilder(string start)
    {
        byte[] lines = PipelineSubjects.Bytes("NATS/1.0\r\n" + start);
        _start = lines.Length;
        _bytes = new byte[_start + Room];
        lines.CopyTo(_bytes, 0);
    }

    /// <summary>The lines that all blocks begin with.</summary>
    internal ReadOnlySpan<byte> Start => _bytes.AsSpan(0, _start);

    /// <summary>An upper bound for the length of a block.</summary>
    internal int Bound => _bytes.Length;

    internal HeaderBuilder Begin()
    {
        _at = _start;
        return this;
    }

    /// <param name="name">The name with a colon and a space.</param>
    /// <param name="value">The value.</param>
    internal HeaderBuilder Line(ReadOnlySpan<byte> name, long value)
    {
        Put(name);
        PutNumber(value);
        Put("\r\n"u8);
        return this;
    }

    /// <param name="name">The name with a colon and a space.</param>
    /// <param name="first">The first number.</param>
    /// <param name="second">The second number.</param>
    internal HeaderBuilder Line(ReadOnlySpan<byte> name, long first, long second)
    {
        Put(name);
        PutNumber(first);
        Put(" "u8);
        PutNumber(second);
        Put("\r\n"u8);
        return this;
    }

    /// <param name="name">The name with a colon and a space.</param>
    /// <param name="value">The value. Name and value together must not exceed a hundred bytes.</param>
    internal HeaderBuilder Line(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        Put(name);
        Put(value);
        Put("\r\n"u8);
        return this;
    }

    /// <summary>Returns the block, which is valid until the next one begins.</summary>
    internal ReadOnlySpan<byte> Finish()
    {
        Put("\r\n"u8);
        return _bytes.AsSpan(0, _at);
    }

    private void Put(ReadOnlySpan<byte> text)
    {
        text.CopyTo(_bytes.AsSpan(_at));
        _at += text.Length;
    }

    private void PutNumber(long value)
    {
        Utf8Formatter.TryFormat(value, _bytes.AsSpan(_at), out int written);
        _at += written;
    }
}
