using System.Runtime.CompilerServices;
using System.Text;

namespace Broker.Client;

// Text and spans in place of memory. The lower priority makes the compiler choose the overload with bytes for
// "default".
public sealed partial class BrokerConnection
{
    /// <summary>Publishes a text as UTF-8. It is written directly into the outbound buffer.</summary>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="text">The text of the body.</param>
    /// <param name="replyTo">The subject for replies. Null or empty if no reply is expected.</param>
    /// <param name="headers">A complete header block, or <see cref="MessageHeaders"/>. Empty for none.</param>
    /// <inheritdoc cref="Publish(string, ReadOnlySpan{byte}, string?, ReadOnlySpan{byte})" path="/exception"/>
    /// <example>
    /// <code>
    /// nats.Publish("weather.oslo", "4 degrees");
    /// </code>
    /// </example>
    [OverloadResolutionPriority(-1)]
    public void Publish(string subject, string text, string? replyTo = null, ReadOnlySpan<byte> headers = default)
        => Core.Publish(subject, new OutboundBody(text), replyTo, headers);

    /// <summary>
    /// Publishes a text like <see cref="Publish(string, string, string?, ReadOnlySpan{byte})"/>, but returns a status
    /// instead of throwing if the message is refused.
    /// </summary>
    /// <exception cref="ArgumentException">A subject is not valid, or the headers are not a header block.</exception>
    [OverloadResolutionPriority(-1)]
    public PublishStatus PublishWithStatus(string subject, string text, string? replyTo = null, ReadOnlySpan<byte> headers = default)
        => Core.PublishWithStatus(subject, new OutboundBody(text), replyTo, headers);

    /// <summary>
    /// Publishes a text as UTF-8, and waits for space if <see cref="ClientOptions.MaxPendingBytes"/> or
    /// <see cref="ClientOptions.ReconnectBufferSize"/> is reached. Do not await the method on <see cref="Loop"/>: the
    /// loop would wait for itself.
    /// </summary>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="text">The text of the body.</param>
    /// <param name="replyTo">The subject for replies. Null or empty if no reply is expected.</param>
    /// <param name="headers">A complete header block, or <see cref="MessageHeaders"/>. Empty for none. It is copied if
    /// the message must wait.</param>
    /// <param name="cancellationToken">Cancels the wait. The message is then not sent.</param>
    /// <inheritdoc cref="PublishAsync(string, ReadOnlyMemory{byte}, string?, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <example>
    /// <code>
    /// await nats.PublishAsync("weather.oslo", "4 degrees");
    /// </code>
    /// </example>
    [OverloadResolutionPriority(-1)]
    public ValueTask PublishAsync(
        string subject, string text, string? replyTo = null, ReadOnlySpan<byte> headers = default, CancellationToken cancellationToken = default)
        => Core.PublishAsync(subject, new OutboundBody(text), replyTo, headers, cancellationToken);

    /// <summary>
    /// Publishes bytes like the overload with memory: <c>await nats.PublishAsync("a", "text"u8)</c>. Body and headers
    /// are copied before the method returns.
    /// </summary>
    /// <inheritdoc cref="PublishAsync(string, string, string?, ReadOnlySpan{byte}, CancellationToken)"/>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">The body. It is copied before the method returns.</param>
    /// <param name="replyTo">The subject for replies. Null or empty if no reply is expected.</param>
    /// <param name="headers">A complete header block, or <see cref="MessageHeaders"/>. Empty for none.</param>
    /// <param name="cancellationToken">Cancels the wait. The message is then not sent.</param>
    [OverloadResolutionPriority(-1)]
    public ValueTask PublishAsync(
        string subject, ReadOnlySpan<byte> body, string? replyTo = null, ReadOnlySpan<byte> headers = default,
        CancellationToken cancellationToken = default)
        => Core.PublishAsync(subject, body, replyTo, headers, cancellationToken);

    /// <summary>Sends a text, as UTF-8, as a request and waits for the first reply.</summary>
    /// <inheritdoc cref="RequestAsync(string, ReadOnlyMemory{byte}, TimeSpan?, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="text">The text of the body.</param>
    /// <param name="timeout">The longest wait for the reply. Null, the default, for
    /// <see cref="ClientOptions.RequestTimeout"/> (5 s), and <see cref="Timeout.InfiniteTimeSpan"/> for no
    /// limit.</param>
    /// <param name="headers">A complete header block, or <see cref="MessageHeaders"/>. Empty for none.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    /// <example>
    /// <code>
    /// Message reply = await nats.RequestAsync("upper", "quiet");
    /// Console.WriteLine(reply.Text);
    /// </code>
    /// </example>
    [OverloadResolutionPriority(-1)]
    public ValueTask<Message> RequestAsync(
        string subject, string text, TimeSpan? timeout = null, ReadOnlySpan<byte> headers = default, CancellationToken cancellationToken = default)
        => Core.RequestAsync(subject, new OutboundBody(text), timeout, headers, cancellationToken);

    /// <summary>Sends bytes as a request: <c>await nats.RequestAsync("a", "text"u8)</c>.</summary>
    /// <inheritdoc cref="RequestAsync(string, ReadOnlyMemory{byte}, TimeSpan?, ReadOnlyMemory{byte}, CancellationToken)"/>
    [OverloadResolutionPriority(-1)]
    public ValueTask<Message> RequestAsync(
        string subject, ReadOnlySpan<byte> body, TimeSpan? timeout = null, ReadOnlySpan<byte> headers = default,
        CancellationToken cancellationToken = default)
        => Core.RequestAsync(subject, body, timeout, headers, cancellationToken);

    /// <summary>Sends a text, as UTF-8, as a request and blocks the calling thread until the first reply.</summary>
    /// <inheritdoc cref="Request(string, ReadOnlySpan{byte}, TimeSpan?, ReadOnlySpan{byte}, CancellationToken)"/>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="text">The text of the body.</param>
    /// <param name="timeout">The longest wait for the reply. Null, the default, for
    /// <see cref="ClientOptions.RequestTimeout"/> (5 s), and <see cref="Timeout.InfiniteTimeSpan"/> for no
    /// limit.</param>
    /// <param name="headers">A complete header block, or <see cref="MessageHeaders"/>. Empty for none.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    /// <example>
    /// <code>
    /// string reply = nats.Request("upper", "quiet").Text;
    /// </code>
    /// </example>
    [OverloadResolutionPriority(-1)]
    public Message Request(
        string subject, string text, TimeSpan? timeout = null, ReadOnlySpan<byte> headers = default, CancellationToken cancellationToken = default)
        => Core.Request(subject, new OutboundBody(text), timeout, headers, cancellationToken);

    /// <summary>Sends a text, as UTF-8, as a request and reads the replies of all responders.</summary>
    /// <inheritdoc cref="RequestManyAsync(string, ReadOnlyMemory{byte}, RequestManyOptions?, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="text">The text of the body.</param>
    /// <param name="options">The conditions for the end of the replies. Null for the defaults.</param>
    /// <param name="headers">A complete header block, or <see cref="MessageHeaders"/>. Empty for none.</param>
    /// <param name="cancellationToken">Ends the request. The enumeration returns the replies that have already arrived,
    /// and then it throws an <see cref="OperationCanceledException"/>.</param>
    /// <example>
    /// <code>
    /// await foreach (Message reply in nats.RequestManyAsync("who", "is there?"))
    /// {
    ///     Console.WriteLine(reply.Text);
    /// }
    /// </code>
    /// </example>
    [OverloadResolutionPriority(-1)]
    public IAsyncEnumerable<Message> RequestManyAsync(
        string subject, string text, RequestManyOptions? options = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
        => RequestManyAsync(subject, Encoding.UTF8.GetBytes(text), options, headers, cancellationToken);

    /// <summary>
    /// Sends a text, as UTF-8, as a request, waits until the replies end, and returns all of them.
    /// </summary>
    /// <inheritdoc cref="GatherAsync(string, ReadOnlyMemory{byte}, RequestManyOptions?, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="text">The text of the body.</param>
    /// <param name="options">The conditions for the end of the replies. Null for the defaults.</param>
    /// <param name="headers">A complete header block, or <see cref="MessageHeaders"/>. Empty for none.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    /// <example>
    /// <code>
    /// IReadOnlyList&lt;Message&gt; all = await nats.GatherAsync("who", "is there?", new RequestManyOptions { MaxReplies = 3 });
    /// </code>
    /// </example>
    [OverloadResolutionPriority(-1)]
    public Task<IReadOnlyList<Message>> GatherAsync(
        string subject, string text, RequestManyOptions? options = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
        => GatherAsync(subject, Encoding.UTF8.GetBytes(text), options, headers, cancellationToken);
}
