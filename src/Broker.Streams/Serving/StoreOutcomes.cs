namespace Broker.Streams;

/// <summary>
/// Handles the outcomes that the stores of an account report. Each is handled for itself: an error in one of them does
/// not keep others from their publishers. Used on the loop of the account only.
/// </summary>
internal sealed class StoreOutcomes(StreamTable streams, PendingReplies pending, StreamWriter writer, Responder responder, ConsumerHost host, StreamFaults faults)
{
    private readonly List<ServedStream> _woken = [];

    /// <summary>Handles the outcomes of one or more groups, and tells consumers of new messages.</summary>
    internal void Handle(ReadOnlySpan<StoreReports.Report> reports)
    {
        foreach (StoreReports.Report report in reports)
        {
            ServedStream? stream = null;
            try
            {
                if (report.Token < 0)
                {
                    Wake(streams.At((int)(-1 - report.Token)));
                    continue;
                }

                PendingReply answer = pending.Take(report.Token);
                stream = answer.Stream;
                Handle(answer, report);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                faults.Add(stream, e);
            }
        }

        Pump();
    }

    private void Handle(PendingReply answer, in StoreReports.Report report)
    {
        if (answer.Completed is { } completed)
        {
            pending.Return(answer);
            completed(report.Sequence, report.Outcome);
        }
        else if (answer.IsConfirmation)
        {
            if (report.Outcome == StoreOutcome.Stored)
            {
                responder.Publish(answer.Subject, []);
            }

            pending.Return(answer);
        }
        else
        {
            Wake(answer.Stream);
            writer.Complete(answer, report.Sequence, report.Outcome);
        }
    }

    private void Wake(ServedStream? stream)
    {
        if (stream is { IsWoken: false, Consumers.Count: > 0 })
        {
            stream.IsWoken = true;
            _woken.Add(stream);
        }
    }

    private void Pump()
    {
        if (_woken.Count == 0)
        {
            return;
        }

        long now = host.Now;
        foreach (ServedStream stream in _woken)
        {
            stream.IsWoken = false;
            foreach (ServedConsumer consumer in stream.Consumers.Values)
            {
                if (consumer.IsWanted)
                {
                    host.Pump(consumer, now);
                }
            }
        }

        _woken.Clear();
    }
}
