using System.Buffers;
using System.Text;
using System.Text.Json;

namespace Broker.Cli.Shell;

/// <summary>
/// Lines on standard output, gathered until somebody would wait for them. Not thread-safe.
/// </summary>
internal sealed class LineOutput(ShellStreams shell)
{
    private const int Gathered = 64 * 1024;

    private static ReadOnlySpan<byte> Highlight => "\e[36m"u8;

    private static ReadOnlySpan<byte> Plain => "\e[0m"u8;

    // Everything but what JSON itself asks for stays readable: the output is no part of a page.
    private static readonly JsonWriterOptions JsonOptions = new() { Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly ArrayBufferWriter<byte> _buffer = new();

    public void Write(string text) => Encoding.UTF8.GetBytes(text, _buffer);

    public void Write(ReadOnlySpan<byte> bytes) => _buffer.Write(bytes);

    /// <summary>The same in a colour, where colours are seen.</summary>
    public void WriteHighlighted(string text)
    {
        if (!shell.Colours)
        {
            Write(text);
            return;
        }

        _buffer.Write(Highlight);
        Write(text);
        _buffer.Write(Plain);
    }

    public void WriteJson(Action<Utf8JsonWriter> write)
    {
        using var json = new Utf8JsonWriter(_buffer, JsonOptions);
        write(json);
    }

    /// <summary>Ends the line.</summary>
    /// <exception cref="IOException">Nobody reads the output any more.</exception>
    public void EndLine()
    {
        Write("\n"u8);
        if (_buffer.WrittenCount >= Gathered)
        {
            Flush();
        }
    }

    /// <summary>Gives out what was gathered: before a wait, and at the end.</summary>
    /// <exception cref="IOException">Nobody reads the output any more.</exception>
    public void Flush()
    {
        if (_buffer.WrittenCount == 0)
        {
            return;
        }

        shell.Output.Write(_buffer.WrittenSpan);
        shell.Output.Flush();
        _buffer.ResetWrittenCount();
    }
}
