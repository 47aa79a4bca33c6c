using System.Buffers.Text;

namespace Broker.Bridge.Pipelines;

/// <summary>Writes a header block behind a beginning that stays; the memory is its own and used again. On one loop.</summary>
internal sealed class HeaderBuilder
{
    // All the lines that can follow together, with numbers of 19 digits.
    private const int Room = 256;

    private readonly byte[] _bytes;
    private readonly int _start;
    private int _at;

    /// <param name="start">Complete lines behind the first one.</param>
    internal HeaderBuilder(string start)
    {
        byte[] lines = PipelineSubjects.Bytes("NATS/1.0\r\n" + start);
        _start = lines.Length;
        _bytes = new byte[_start + Room];
        lines.CopyTo(_bytes, 0);
    }

    /// <summary>What stays.</summary>
    internal ReadOnlySpan<byte> Start => _bytes.AsSpan(0, _start);

    /// <summary>More than any block of this beginning has.</summary>
    internal int Bound => _bytes.Length;

    internal HeaderBuilder Begin()
    {
        _at = _start;
        return this;
    }

    /// <param name="name">With the colon and a space behind it.</param>
    /// <param name="value">Its value.</param>
    internal HeaderBuilder Line(ReadOnlySpan<byte> name, long value)
    {
        Put(name);
        PutNumber(value);
        Put("\r\n"u8);
        return this;
    }

    /// <param name="name">With the colon and a space behind it.</param>
    /// <param name="first">Its first number.</param>
    /// <param name="second">Its second number.</param>
    internal HeaderBuilder Line(ReadOnlySpan<byte> name, long first, long second)
    {
        Put(name);
        PutNumber(first);
        Put(" "u8);
        PutNumber(second);
        Put("\r\n"u8);
        return this;
    }

    /// <param name="name">With the colon and a space behind it.</param>
    /// <param name="value">Its value, which with the name is no longer than a hundred bytes.</param>
    internal HeaderBuilder Line(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        Put(name);
        Put(value);
        Put("\r\n"u8);
        return this;
    }

    /// <summary>The block, good until the next one is begun.</summary>
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
