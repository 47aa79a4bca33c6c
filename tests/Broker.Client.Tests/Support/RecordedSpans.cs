using System.Diagnostics;
using Broker.Client.Telemetry;

namespace Broker.Client.Tests.Support;

/// <summary>Listens to the spans of clients, and to those of the test's own source. They end on whichever thread.</summary>
internal sealed class RecordedSpans : IDisposable
{
    private readonly List<Activity> _ended = [];
    private readonly ActivityListener _listener;

    public RecordedSpans(ActivitySamplingResult sampling = ActivitySamplingResult.AllDataAndRecorded)
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = source => source == Source || source.Name == ClientActivities.SourceName,
            Sample = (ref _) => sampling,
            ActivityStopped = activity =>
            {
                lock (_ended)
                {
                    _ended.Add(activity);
                }
            },
        };
        ActivitySource.AddActivityListener(_listener);
    }

    /// <summary>Of the program that uses a client.</summary>
    public ActivitySource Source { get; } = new("test");

    public Task<Activity> WaitForAsync(string name) => WaitForAsync(a => a.OperationName == name, name);

    public async Task<Activity> WaitForAsync(Predicate<Activity> which, string what)
    {
        Activity? found = null;
        await Wait.UntilAsync(() => (found = Ended().Find(which)) is not null, what);
        return found!;
    }

    public List<Activity> Ended()
    {
        lock (_ended)
        {
            return [.. _ended];
        }
    }

    public void Dispose()
    {
        _listener.Dispose();
        Source.Dispose();
    }
}
