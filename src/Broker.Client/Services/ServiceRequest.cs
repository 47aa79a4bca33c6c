using System.Buffers;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Broker.Client;

/// <summary>
/// A request to an endpoint of a service. It belongs to the handler, also after the handler has returned.
/// </summary>
public sealed class ServiceRequest
{
    private readonly ServiceEndpoint _endpoint;
    private bool _isError;

    internal ServiceRequest(ServiceEndpoint endpoint, in Message message)
    {
        _endpoint = endpoint;
        Message = message;
    }

    /// <summary>The request as a message.</summary>
    public Message Message { get; }

    /// <summary>The subject.</summary>
    public string Subject => Message.Subject;

    /// <summary>The body.</summary>
    public ReadOnlyMemory<byte> Body => Message.Body;

    /// <summary>The body as UTF-8 text.</summary>
    public string Text => Message.Text;

    /// <summary>The headers.</summary>
    public ReceivedHeaders Headers => Message.Headers;

    /// <summary>Whether the request was answered.</summary>
    internal bool IsAnswered { get; private set; }

    /// <summary>Answers the request.</summary>
    /// <param name="body">The body. It is copied before the method returns.</param>
    /// <param name="headers">A complete header block. Empty for none.</param>
    /// <exception cref="InvalidOperationException">The message has no reply subject.</exception>
    /// <exception cref="ArgumentException">The headers are not a header block.</exception>
    /// <exception cref="PublishRefusedException">The reply was refused.</exception>
    public void Respond(ReadOnlySpan<byte> body, ReadOnlySpan<byte> headers = default)
    {
        Message.Respond(body, headers);
        IsAnswered = true;
    }

    /// <summary>Answers the request with a text.</summary>
    /// <param name="text">The text, which is sent as UTF-8.</param>
    /// <param name="headers">A complete header block. Empty for none.</param>
    /// <inheritdoc cref="Respond(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>
    [OverloadResolutionPriority(-1)]
    public void Respond(string text, ReadOnlySpan<byte> headers = default)
    {
        Message.Respond(text, headers);
        IsAnswered = true;
    }

    /// <summary>Answers the request with a value.</summary>
    /// <param name="value">The value.</param>
    /// <param name="encoder">Writes the value.</param>
    /// <exception cref="InvalidOperationException">The message has no reply subject.</exception>
    /// <exception cref="NotSupportedException">The encoder does not support the type.</exception>
    /// <exception cref="PublishRefusedException">The reply was refused.</exception>
    public void Respond<T>(T value, IMessageEncoder encoder)
    {
        ArgumentNullException.ThrowIfNull(encoder);
        var body = new ArrayBufferWriter<byte>();
        encoder.Encode(value, body);
        Respond(body.WrittenSpan);
    }

    /// <summary>Answers the request with an error, which the statistics count.</summary>
    /// <param name="code">The code, for programs. HTTP's codes are usual: 400, 404, 500. It must be positive.</param>
    /// <param name="description">The text, for people. Line ends become spaces.</param>
    /// <param name="body">The body. Empty for none.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="code"/> is not positive.</exception>
    /// <exception cref="InvalidOperationException">The message has no reply subject.</exception>
    /// <exception cref="PublishRefusedException">The reply was refused.</exception>
    public void RespondError(int code, string description, ReadOnlySpan<byte> body = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(code);
        ArgumentNullException.ThrowIfNull(description);
        string line = description.ReplaceLineEndings(" ");
        // A caller that has its reply finds the error in the statistics, so it is counted before.
        CountError(new ServiceError(code, line));
        Respond(
            body,
            new MessageHeaders
            {
                [ServiceError.DescriptionHeader] = line,
                [ServiceError.CodeHeader] = code.ToString(CultureInfo.InvariantCulture),
            });
    }

    /// <summary>Counts an error, once for each request.</summary>
    internal void CountError(ServiceError error)
    {
        _endpoint.Count(error, isFirst: !_isError);
        _isError = true;
    }
}
