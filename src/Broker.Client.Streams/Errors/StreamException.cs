using System.Globalization;
using System.Text;

namespace Broker.Client.Streams;

/// <summary>
/// A server refused a request about a stream or a consumer, or nobody answered it. The text names the stream, the
/// consumer, the code and what to do.
/// </summary>
public class StreamException : Exception
{
    /// <summary>Creates the exception with a complete text.</summary>
    /// <param name="message">The text.</param>
    /// <param name="inner">The cause. Null for none.</param>
    public StreamException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    internal StreamException(string what, int status, StreamErrorCode code, string? description, string? stream, string? consumer)
        : base(Describe(what, status, code, description, stream, consumer))
    {
        Status = status;
        Code = code;
        Description = description;
        Stream = stream;
        Consumer = consumer;
    }

    /// <summary>The kind of the error, with the meaning of an HTTP status: 400, 404, 503. 0 if there is none.</summary>
    public int Status { get; protected init; }

    /// <summary>The server's code of the error (<c>err_code</c>).</summary>
    public StreamErrorCode Code { get; protected init; }

    /// <summary>The server's text. Null if the server sent none.</summary>
    public string? Description { get; protected init; }

    /// <summary>The name of the stream. Null if the error is not about one stream.</summary>
    public string? Stream { get; protected init; }

    /// <summary>The name of the consumer. Null if the error is not about a consumer.</summary>
    public string? Consumer { get; protected init; }

    private static string Describe(string what, int status, StreamErrorCode code, string? description, string? stream, string? consumer)
    {
        var text = new StringBuilder(what);
        if (stream is not null)
        {
            text.Append(CultureInfo.InvariantCulture, $" (stream '{stream}'");
            text.Append(consumer is null ? ")" : $", consumer '{consumer}')");
        }

        text.Append(" was refused: ").Append((description ?? "the server sent no text").TrimEnd('.'));
        text.Append(CultureInfo.InvariantCulture, $" (status {status}, code {(int)code}).");
        return Remedies.For(code) is { } remedy ? text.Append(' ').Append(remedy).ToString() : text.ToString();
    }
}
