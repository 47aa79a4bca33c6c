using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Growth;

/// <summary>
/// The connections of a crowd row: a publisher, a reader with the subscriptions that match what is published, and a
/// bystander with all the others.
/// </summary>
internal sealed class CrowdStage : IStage
{
    private const int Verified = 2_000;

    private readonly Target _target;
    private readonly Crowd _crowd;
    private readonly Session _session;
    private readonly RawConnection _publisher;
    private readonly RawConnection _reader;
    private readonly RawConnection _bystander;
    private readonly SubscriptionChurn? _churn;
    private readonly FrameCycle _cycle;
    private readonly byte[] _message;

    public CrowdStage(Target target, Crowd crowd)
    {
        _target = target;
        _crowd = crowd;
        _session = target.OpenSession();
        try
        {
            _publisher = _session.Dial();
            _reader = _session.Dial();
            _bystander = _session.Dial();
            if (crowd.ChurnPerSecond > 0)
            {
                _churn = new SubscriptionChurn(_session.Dial(), crowd.ChurnPerSecond);
            }

            Subscribe();
        }
        catch
        {
            _session.Dispose();
            throw;
        }

        byte[] payload = Payloads.Pattern(Crowd.PayloadSize);
        _cycle = new FrameCycle(crowd.Subjects, i => Frames.Publish(Crowd.Subject(crowd.First + i), payload));
        _message = Frames.Message(Crowd.Subject(crowd.First), crowd.ReaderSid(crowd.First), payload);
    }

    public Measurement Measure(long messages)
    {
        using var tally = new Tally(messages * _message.Length);
        void OnError() => tally.GiveUp(cut: false);
        var drain = new Drain(_reader, _message, tally);
        Worker draining = _session.Start("reader", drain.Run, OnError);
        Worker? churning = _churn?.Start(_session, OnError);
        _target.Cpu.Start();
        long from = Stopwatch.GetTimestamp();
        Worker publishing = _session.Start("publisher", () => Publish(messages), OnError);
        tally.Wait();
        Measurement measurement = _target.Finish(messages, from, tally.ReachedAt);
        _churn?.Stop();
        churning?.Join();
        if (tally.WasCut)
        {
            return measurement with { Lost = true };
        }

        publishing.Join();
        _reader.Send(Wire.Ping);
        draining.Join();
        _publisher.Fence();
        _bystander.Fence();
        if (drain.Error is not null)
        {
            throw new DriverException($"The reader received '{drain.Error}'.");
        }

        if (drain.Bytes != messages * _message.Length)
        {
            throw new DriverException($"Expected {messages} messages of {_message.Length} bytes and received {drain.Bytes / (double)_message.Length:0.##}.");
        }

        return measurement;
    }

    /// <summary>
    /// Publishes to subjects across the whole range and compares the received messages in their order.
    /// </summary>
    public void Verify()
    {
        byte[] payload = new byte[Crowd.PayloadSize];
        using var sent = new MemoryStream();
        var expected = new List<byte[]>(Verified);
        for (int i = 0; i < Verified; i++)
        {
            Payloads.WriteNumbered(payload, 0, i);
            int index = _crowd.First + (int)((long)i * _crowd.Subjects / Verified);
            sent.Write(Frames.Publish(Crowd.Subject(index), payload));
            expected.Add(Frames.Message(Crowd.Subject(index), _crowd.ReaderSid(index), payload));
        }

        _publisher.Send(sent.GetBuffer().AsSpan(0, (int)sent.Length));
        foreach (byte[] frame in expected)
        {
            _reader.Expect(frame);
        }

        _publisher.Fence();
        _reader.Fence();
        _bystander.Fence();
    }

    public void Dispose() => _session.Dispose();

    private void Subscribe()
    {
        if (_crowd.OneForAll)
        {
            _reader.Send(Frames.Subscribe(Crowd.Everything, null, _crowd.ReaderSid(0)));
            _reader.Fence();
            return;
        }

        int first = _crowd.First;
        int end = first + _crowd.Subjects;
        Subscriber.Subscribe(_bystander, _crowd, 0, first);
        Subscriber.Subscribe(_reader, _crowd, first, end);
        Subscriber.Subscribe(_bystander, _crowd, end, _crowd.Subscriptions);
    }

    private void Publish(long messages)
    {
        while (messages > 0)
        {
            _publisher.Send(_cycle.Next(messages, out int frames));
            messages -= frames;
        }
    }
}
