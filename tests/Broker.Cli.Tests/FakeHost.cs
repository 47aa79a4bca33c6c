using Broker.Cli.Serving;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Tests;

/// <summary>A host without listeners, which a test controls.</summary>
internal sealed class FakeHost : IServeHost
{
    public ServeSettings? Started { get; private set; }

    public bool Stopped { get; private set; }

    public bool Disposed { get; private set; }

    /// <summary>Called with the loggers when the host is started.</summary>
    public Action<ILoggerFactory> OnStart { get; init; } = static _ => { };

    /// <summary>Called when the host is stopped.</summary>
    public Action OnStop { get; init; } = static () => { };

    public long Undelivered { get; init; }

    public Func<ServeCounts> Counts { get; init; } = static () => default;

    public static ServeAddresses Addresses { get; } =
        new(["nats://127.0.0.1:4222"], ["tcp://127.0.0.1:5556"], ["tcp://127.0.0.1:5557"], [], []);

    public Task<ServeAddresses> StartAsync(ServeSettings settings, ILoggerFactory loggers, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Started = settings;
        OnStart(loggers);
        return Task.FromResult(Addresses);
    }

    public ServeCounts ReadCounts() => Counts();

    public Func<ServeBacklog> Backlog { get; init; } = static () => default;

    public Task<bool> AnswerAsync() => Task.FromResult(true);

    public ServeBacklog ReadBacklog() => Backlog();

    public List<ServeSettings> Reloads { get; } = [];

    public bool LameDuck { get; private set; }

    public Task ReloadAsync(ServeSettings settings)
    {
        Reloads.Add(settings);
        return Task.CompletedTask;
    }

    public void ReloadOnRequest(Func<Task> reload) => OnReloadPossible(reload);

    /// <summary>Called with the way to request a reload.</summary>
    public Action<Func<Task>> OnReloadPossible { get; init; } = static _ => { };

    public void LameDuckOnRequest(Action begin) => OnLameDuckPossible(begin);

    /// <summary>Called with the way to request lame duck mode.</summary>
    public Action<Action> OnLameDuckPossible { get; init; } = static _ => { };

    public Task EnterLameDuckAsync(CancellationToken cancellationToken)
    {
        LameDuck = true;
        return Task.CompletedTask;
    }

    /// <summary>A task for which a stop waits.</summary>
    public Func<CancellationToken, Task> Drain { get; init; } = static _ => Task.CompletedTask;

    public async Task<long> StopAsync(CancellationToken deadline)
    {
        OnStop();
        Stopped = true;
        await Drain(deadline);
        return Undelivered;
    }

    public ValueTask DisposeAsync()
    {
        Disposed = true;
        return ValueTask.CompletedTask;
    }
}
