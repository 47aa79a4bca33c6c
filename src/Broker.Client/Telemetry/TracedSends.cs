using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Broker.Client;

/// <summary>
/// Publishes and requests with a span around each call and its context in the headers. It is separate from the plain
/// code, so that the plain code does not depend on tracing.
/// </summary>
internal sealed class TracedSends(MessagePublisher publisher, Requester requester, ClientTracer tracer)
{
    private const string PublishName = "publish";
    private const string RequestName = "request";

    internal PublishStatus PublishWithStatus(string subject, OutboundBody body, string? replyTo, ReadOnlySpan<byte> headers)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using Activity? activity = tracer.StartSend(PublishName, subject, body.Length);
        try
        {
            byte[]? block = tracer.Inject(headers, body.Length);
            PublishStatus status = publisher.PublishWithStatus(subject, body, replyTo, block is null ? headers : block);
            if (status >= PublishStatus.PendingLimit)
            {
                ClientTracer.Fail(activity, status.ToString());
            }

            return status;
        }
        catch (Exception e)
        {
            ClientTracer.Fail(activity, e);
            throw;
        }
    }

    internal async ValueTask PublishAsync(
        string subject, ReadOnlyMemory<byte> body, string? replyTo, ReadOnlyMemory<byte> headers, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using Activity? activity = tracer.StartSend(PublishName, subject, body.Length);
        try
        {
            byte[]? block = tracer.Inject(headers.Span, body.Length);
            await publisher.PublishAsync(subject, body, replyTo, block ?? headers, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            ClientTracer.Fail(activity, e);
            throw;
        }
    }

    internal void Respond(ReadOnlySpan<byte> replyTo, OutboundBody body, ReadOnlySpan<byte> headers)
    {
        using Activity? activity = replyTo.IsEmpty ? null : tracer.StartSend(PublishName, System.Text.Encoding.UTF8.GetString(replyTo), body.Length);
        try
        {
            byte[]? block = tracer.Inject(headers, body.Length);
            publisher.Respond(replyTo, body, block is null ? headers : block);
        }
        catch (Exception e)
        {
            ClientTracer.Fail(activity, e);
            throw;
        }
    }

    internal ValueTask<Message> RequestAsync(
        string subject, OutboundBody body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(subject);
        Activity? before = Activity.Current;
        Activity? activity = tracer.StartSend(RequestName, subject, body.Length);
        try
        {
            byte[]? block = tracer.Inject(headers, body.Length);
            ValueTask<Message> reply = requester.RequestAsync(subject, body, timeout, block is null ? headers : block, cancellationToken);
            return activity is null ? reply : EndWithAsync(reply, activity);
        }
        catch (Exception e)
        {
            ClientTracer.Fail(activity, e);
            activity?.Dispose();
            throw;
        }
        finally
        {
            // The span continues until the reply, and the caller continues with the activity that was current before.
            Activity.Current = before;
        }
    }

    internal Message Request(
        string subject, OutboundBody body, TimeSpan timeout, ReadOnlySpan<byte> headers, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using Activity? activity = tracer.StartSend(RequestName, subject, body.Length);
        try
        {
            byte[]? block = tracer.Inject(headers, body.Length);
            return requester.Request(subject, body, timeout, block is null ? headers : block, cancellationToken);
        }
        catch (Exception e)
        {
            ClientTracer.Fail(activity, e);
            throw;
        }
    }

    internal async IAsyncEnumerable<Message> RequestManyAsync(
        string subject, ReadOnlyMemory<byte> body, RequestManyOptions options, ReadOnlyMemory<byte> headers,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(subject);
        using Activity? activity = tracer.StartSend(RequestName, subject, body.Length);
        byte[]? block = tracer.Inject(headers.Span, body.Length);
        IAsyncEnumerator<Message> replies = requester.RequestManyAsync(subject, body, options, block ?? headers, cancellationToken)
            .GetAsyncEnumerator(CancellationToken.None);
        await using (replies.ConfigureAwait(false))
        {
            while (await MoveNextAsync(replies, activity).ConfigureAwait(false))
            {
                yield return replies.Current;
            }
        }
    }

    private static async ValueTask<bool> MoveNextAsync(IAsyncEnumerator<Message> replies, Activity? activity)
    {
        try
        {
            return await replies.MoveNextAsync().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            ClientTracer.Fail(activity, e);
            throw;
        }
    }

    private static async ValueTask<Message> EndWithAsync(ValueTask<Message> reply, Activity activity)
    {
        using (activity)
        {
            try
            {
                return await reply.ConfigureAwait(false);
            }
            catch (Exception e)
            {
                ClientTracer.Fail(activity, e);
                throw;
            }
        }
    }
}
