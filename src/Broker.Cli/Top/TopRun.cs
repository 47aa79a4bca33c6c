namespace Broker.Cli.Top;

/// <summary>Reads the pages in intervals and shows the rates until the user ends it.</summary>
internal sealed class TopRun(MonitoringReader reader, TopSettings settings, TimeProvider clock)
{
    private TopSettings _settings = settings;

    /// <returns>The exit code.</returns>
    /// <exception cref="IOException">The first reading failed, or the only one.</exception>
    public async Task<int> RunAsync(ITopView view, CancellationToken stop)
    {
        try
        {
            // An error before anything is shown ends the command.
            TopSample first = await reader.ReadAsync(_settings.Order, stop);
            if (_settings is { IsOnce: true, ShowsRoutes: true } && first.Routes is null)
            {
                throw new IOException("the server has no ZeroMQ bridge");
            }

            return await view.ShowAsync(() => _settings.IsOnce ? OnceAsync(view, first, stop) : RepeatAsync(view, first, stop));
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return ExitCode.Success;
        }
    }

    private async Task<int> OnceAsync(ITopView view, TopSample first, CancellationToken stop)
    {
        await view.WaitAsync(_settings.Interval, stop);
        TopSample now = await reader.ReadAsync(_settings.Order, stop);
        view.Show(TopFrame.Of(first, now, _settings.Order, clock), _settings, null);
        return ExitCode.Success;
    }

    private async Task<int> RepeatAsync(ITopView view, TopSample first, CancellationToken stop)
    {
        TopSample? before = null;
        TopSample now = first;
        string? problem = null;
        // A script that reads JSON gets no object without rates.
        bool isShown = !_settings.IsJson;
        try
        {
            while (true)
            {
                if (isShown)
                {
                    view.Show(TopFrame.Of(before, now, _settings.Order, clock), _settings, problem);
                }

                if (await view.WaitAsync(_settings.Interval, stop) is { } key)
                {
                    if (!Handle(key))
                    {
                        return ExitCode.Success;
                    }

                    continue;
                }

                (TopSample? latest, problem) = await FindAsync(stop);
                if (latest is not null)
                {
                    (before, now) = (now, latest);
                }

                isShown = true;
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return ExitCode.Success;
        }
    }

    // A server that is away for a while does not end the command.
    private async Task<(TopSample? Sample, string? Problem)> FindAsync(CancellationToken stop)
    {
        try
        {
            return (await reader.ReadAsync(_settings.Order, stop), null);
        }
        catch (IOException e)
        {
            return (null, e.Message);
        }
    }

    // Returns false if the command ends.
    private bool Handle(char key)
    {
        _settings = char.ToLowerInvariant(key) switch
        {
            'm' => _settings with { Order = TopOrder.Rate, ShowsRoutes = false },
            'b' => _settings with { Order = TopOrder.Bytes, ShowsRoutes = false },
            'p' => _settings with { Order = TopOrder.Pending, ShowsRoutes = false },
            's' => _settings with { Order = TopOrder.Subscriptions, ShowsRoutes = false },
            'r' => _settings with { ShowsRoutes = true },
            'c' => _settings with { ShowsRoutes = false },
            _ => _settings,
        };
        return key is not ('q' or 'Q');
    }
}
