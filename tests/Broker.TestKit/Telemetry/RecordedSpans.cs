using System.Diagnostics;

namespace Broker.TestKit.Telemetry;

/// <summary>Records the spans of some sources and of the test's own source. Spans may end on any thread.</summary>
public sealed class RecordedSpans : IDisposable
{
    private readonly List<Activity> _ended = [];
    private readonly ActivityListener _listener;

    /// <param name="sources">The names of the other sources. All their spans are recorded.</param>
    public RecordedSpans(params string[] sources)
        : this(ActivitySamplingResult.AllDataAndRecorded, sources)
    {
    }

    /// <param name="sampling">The sampling decision for each span.</param>
    /// <param name="sources">The names of the other sources.</param>
    public RecordedSpans(ActivitySamplingResult sampling, params string[] sources)
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = source => source == Source || sources.Contains(source.Name),
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

    /// <summary>The source of the program that uses a client.</summary>
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
