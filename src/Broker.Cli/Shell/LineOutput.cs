using System.Buffers;
using System.Text;
using System.Text.Json;

namespace Broker.Cli.Shell;

/// <summary>
/// Writes lines to standard output through a buffer. The caller flushes it before it waits for more input. Not
/// thread-safe.
/// </summary>
internal sealed class LineOutput(ShellStreams shell)
{
    private const int Gathered = 64 * 1024;

    private static ReadOnlySpan<byte> Highlight => "\e[36m"u8;

    private static ReadOnlySpan<byte> Plain => "\e[0m"u8;

    // Escapes only what JSON requires, because the output is not embedded in HTML.
    private static readonly JsonWriterOptions JsonOptions =
        new() { Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly ArrayBufferWriter<byte> _buffer = new();

    public void Write(string text) => Encoding.UTF8.GetBytes(text, _buffer);

    public void Write(ReadOnlySpan<byte> bytes) => _buffer.Write(bytes);

    /// <summary>Writes the text in a colour if the output is a terminal with colours.</summary>
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

    /// <summary>Ends the line, and flushes a full buffer.</summary>
    /// <exception cref="IOException">The reader of the output has closed it.</exception>
    public void EndLine()
    {
        Write("\n"u8);
        if (_buffer.WrittenCount >= Gathered)
        {
            Flush();
        }
    }

    /// <summary>Writes the buffered lines. Called before a wait and at the end.</summary>
    /// <exception cref="IOException">The reader of the output has closed it.</exception>
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
