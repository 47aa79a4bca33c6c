using Broker.Transport;

namespace Broker.Client;

// Requests and their replies.
public sealed partial class BrokerConnection
{
    /// <summary>Publishes a request and waits for the first reply.</summary>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">The body. It is copied before the method returns.</param>
    /// <param name="timeout">The longest wait for the reply. Null, the default, for
    /// <see cref="ClientOptions.RequestTimeout"/> (5 s), and <see cref="Timeout.InfiniteTimeSpan"/> for no
    /// limit.</param>
    /// <param name="headers">A complete header block. Empty for none.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    /// <returns>The reply. Await it only once.</returns>
    /// <exception cref="ArgumentException">The subject is not valid, or the headers are not a header block.</exception>
    /// <exception cref="NoRespondersException">Nobody subscribes to the subject.</exception>
    /// <exception cref="TimeoutException">No reply came in time.</exception>
    /// <exception cref="ConnectionLostException">No server is connected, the server was lost before the reply, or the
    /// connection is closed.</exception>
    /// <exception cref="PublishRefusedException">The request was refused.</exception>
    /// <exception cref="ServerErrorException">The user may not publish to the subject, or may not subscribe to the
    /// subjects for replies (<see cref="ClientOptions.InboxPrefix"/>).</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="InvalidOperationException">1,048,575 requests are pending already.</exception>
    public ValueTask<Message> RequestAsync(
        string subject, ReadOnlyMemory<byte> body, TimeSpan? timeout = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
        => Core.RequestAsync(subject, body.Span, timeout, headers.Span, cancellationToken);

    /// <summary>
    /// Publishes a request and blocks the calling thread until the first reply. Do not call it on an event loop, except
    /// on a loop without its own thread (<see cref="EventLoopOptions.CallerDriven"/>) that the caller drives. On that
    /// loop the method runs iterations until the reply comes. The iterations may call other handlers, and no other
    /// thread has to be woken.
    /// </summary>
    /// <inheritdoc cref="RequestAsync(string, ReadOnlyMemory{byte}, TimeSpan?, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <returns>The reply.</returns>
    /// <exception cref="InvalidOperationException">The calling loop belongs to the connection's group and has its own
    /// thread, the calling loop is inside an iteration, or 1,048,575 requests are pending already.</exception>
    public Message Request(
        string subject, ReadOnlySpan<byte> body, TimeSpan? timeout = null, ReadOnlySpan<byte> headers = default,
        CancellationToken cancellationToken = default)
        => Core.Request(subject, body, timeout, headers, cancellationToken);

    /// <summary>
    /// Publishes a request and reads the replies of all responders. The enumeration ends after enough replies, after a
    /// pause without replies, after a reply that marks the end, or at the deadline, even if there was no reply. The
    /// request is sent when the enumeration starts.
    /// </summary>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">The body. It must not change before the enumeration starts.</param>
    /// <param name="options">The conditions for the end of the replies. Null for the defaults.</param>
    /// <param name="headers">A complete header block. Empty for none.</param>
    /// <param name="cancellationToken">Ends the request. The enumeration returns the replies that have already arrived,
    /// and then it throws an <see cref="OperationCanceledException"/>.</param>
    /// <exception cref="ArgumentException">The subject or an option is not valid, or the headers are not a header
    /// block.</exception>
    /// <exception cref="NoRespondersException">Nobody subscribes to the subject.</exception>
    /// <exception cref="ConnectionLostException">No server is connected, the server was lost before the enumeration
    /// ended, or the connection is closed. The enumeration first returns the replies that came before the
    /// loss.</exception>
    /// <exception cref="PublishRefusedException">The request was refused.</exception>
    /// <exception cref="SlowConsumerException">The replies that waited for the reader had more bytes than
    /// <see cref="RequestManyOptions.MaxBytes"/>.</exception>
    public IAsyncEnumerable<Message> RequestManyAsync(
        string subject, ReadOnlyMemory<byte> body, RequestManyOptions? options = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
    {
        options ??= new RequestManyOptions();
        options.Validate();
        return Core.TracedSends is { } traced
            ? traced.RequestManyAsync(subject, body, options, headers, cancellationToken)
            : Core.Requester.RequestManyAsync(subject, body, options, headers, cancellationToken);
    }

    /// <summary>
    /// Publishes a request, waits until
    /// <see cref="RequestManyAsync(string, ReadOnlyMemory{byte}, RequestManyOptions?, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// ends, and returns all replies.
    /// </summary>
    /// <inheritdoc cref="RequestManyAsync(string, ReadOnlyMemory{byte}, RequestManyOptions?, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <returns>The replies in the order of their arrival. The list is empty if the deadline came first.</returns>
    /// <exception cref="SlowConsumerException">All replies together have more bytes than
    /// <see cref="RequestManyOptions.MaxBytes"/>.</exception>
    public async Task<IReadOnlyList<Message>> GatherAsync(
        string subject, ReadOnlyMemory<byte> body, RequestManyOptions? options = null, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
    {
        options ??= new RequestManyOptions();
        var replies = new List<Message>();
        long bytes = 0;
        await foreach (Message answer in RequestManyAsync(subject, body, options, headers, cancellationToken).ConfigureAwait(false))
        {
            bytes += answer.Size;
            if (bytes > options.MaxBytes)
            {
                throw new SlowConsumerException(subject, options.MaxBytes);
            }

            replies.Add(answer);
        }

        return replies;
    }
}
