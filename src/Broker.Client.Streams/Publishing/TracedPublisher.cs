using System.Diagnostics;

namespace Broker.Client.Streams;

/// <summary>Publishes with a span from the call to its outcome, and with the span's context in the headers.</summary>
/// <param name="publisher">Publishes.</param>
/// <param name="tracer">Creates the spans.</param>
internal sealed class TracedPublisher(AckedPublisher publisher, StreamsTracer tracer)
{
    internal bool HasListeners => tracer.HasListeners;

    internal ValueTask<PublishAck> PublishAsync(
        string subject, ReadOnlyMemory<byte> body, in StreamPublishOptions options, ReadOnlyMemory<byte> headers, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(subject);
        Activity? before = Activity.Current;
        if (tracer.StartPublish(subject, body.Length) is not { } activity)
        {
            return publisher.PublishAsync(subject, body, in options, headers, cancellationToken);
        }

        try
        {
            return EndWithAsync(publisher.PublishAsync(subject, body, in options, StreamsTracer.Inject(activity, headers), cancellationToken), activity);
        }
        catch (Exception e)
        {
            StreamsTracer.Fail(activity, e);
            activity.Dispose();
            throw;
        }
        finally
        {
            // The span continues until the outcome, and the caller continues with the activity that was current before.
            Activity.Current = before;
        }
    }

    private static async ValueTask<PublishAck> EndWithAsync(ValueTask<PublishAck> outcome, Activity activity)
    {
        using (activity)
        {
            try
            {
                PublishAck ack = await outcome.ConfigureAwait(false);
                activity.SetTag(StreamsTracer.StreamTag, ack.Stream);
                return ack;
            }
            catch (Exception e)
            {
                StreamsTracer.Fail(activity, e);
                throw;
            }
        }
    }
}
