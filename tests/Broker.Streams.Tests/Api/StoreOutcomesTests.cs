using System.Text;
using Broker.Streams.Tests.Simulation;
using Broker.Streams.Tests.Store;
using Broker.Transport;

namespace Broker.Streams.Tests.Api;

public sealed class StoreOutcomesTests : IDisposable
{
    private readonly StreamStore _store = StreamStore.Open(new SimulatedDisk(), StoreExtensions.Small());
    private readonly EventLoopGroup _loops = new(new EventLoopOptions { Loops = 1 });
    private readonly List<Exception> _faults = [];
    private readonly PendingReplies _pending = new();

    // Each publication of an answer fails, because there is nothing to publish it with.
    private readonly Responder _responder = new(null!, domain: null);

    [Fact]
    public void An_error_with_one_outcome_does_not_drop_the_others()
    {
        ServedStream stream = Serve("fails");
        ServedStream other = Serve("other");
        var outcomes = new List<(ulong Sequence, StoreOutcome Outcome)>();
        StoreReports.Report[] reports =
        [
            Message(stream, "waits"),
            Request((_, _) => throw new InvalidOperationException("first")),
            Request((sequence, outcome) => outcomes.Add((sequence, outcome))),
            Message(other, "", out DuplicateEntry id),
            Request((sequence, outcome) => outcomes.Add((sequence, outcome))),
        ];

        Handle(reports);

        Assert.Equal([(3, StoreOutcome.Stored), (5, StoreOutcome.Stored)], outcomes);
        Assert.True(id.IsStored);
        Assert.Null(other.Stored.Fault);
        Assert.Equal(["The stream 'fails' has stopped", "first"], _faults.Select(static fault => string.Join(' ', fault.Message.Split(' ').Take(5))));
    }

    [Fact]
    public void Errors_of_a_stream_are_reported_once()
    {
        ServedStream stream = Serve("fails");

        Handle([Message(stream, "one"), Message(stream, "two")]);
        Handle([Message(stream, "three")]);

        Assert.Equal(stream.Stored.Fault, Assert.Single(_faults).InnerException?.Message);
    }

    public void Dispose()
    {
        _store.Dispose();
        _loops.Dispose();
    }

    private void Handle(StoreReports.Report[] reports)
    {
        var faults = new StreamFaults(_faults.Add);
        var way = new StoreReports(_loops[0], static _ => { });
        using var reads = new ReadWorker(_loops[0], _faults.Add);
        var host = new ConsumerHost(_responder, _pending, way, reads, _loops[0], TimeProvider.System, faults);
        var writer = new StreamWriter(_pending, _responder, way);

        // The numbers of the reports are their places, from 1 on.
        StoreReports.Report[] numbered = [.. reports.Select(static (report, i) => report with { Sequence = (ulong)i + 1 })];
        new StoreOutcomes(new StreamTable(), _pending, writer, _responder, host, faults).Handle(numbered);
    }

    private ServedStream Serve(string name)
        => new(_store, _store.Add(name), new StoredConfig { Config = new StreamConfig { Name = name, Subjects = [name] } });

    private StoreReports.Report Message(ServedStream stream, string reply) => Message(stream, reply, out _);

    private StoreReports.Report Message(ServedStream stream, string reply, out DuplicateEntry id)
    {
        PendingReply answer = _pending.Rent(Encoding.UTF8.GetBytes(reply));
        answer.Stream = stream;
        answer.Id = id = stream.Duplicates.Add("id"u8, 1, 0);
        return new StoreReports.Report(_pending.Add(answer), 0, StoreOutcome.Stored);
    }

    private StoreReports.Report Request(Action<ulong, StoreOutcome> completed)
    {
        PendingReply answer = _pending.Rent([]);
        answer.Completed = completed;
        return new StoreReports.Report(_pending.Add(answer), 0, StoreOutcome.Stored);
    }
}
