namespace Broker.Server;

/// <summary>Changes the options of a running server. Either all changes apply or none. Thread-safe.</summary>
internal sealed class ServerReload(ServerCore core, SystemRequests requests) : IDisposable
{
    // The timer starts again after this time. So a clock that is set meanwhile counts, and no timer is too long.
    private static readonly TimeSpan LongestTimer = TimeSpan.FromHours(1);

    private readonly Lock _gate = new();

    // Runs only while a JWT of an account can expire.
    private ITimer? _timer;
    private bool _disposed;

    /// <summary>Applies a change to a copy of the options, checks the copy, and puts it into effect.</summary>
    /// <exception cref="ArgumentException">
    /// The changed options are not valid. The server keeps its previous options.
    /// </exception>
    internal void Run(Action<BrokerServerOptions> change)
    {
        bool secures;
        string changes;
        lock (_gate)
        {
            BrokerServerOptions before = core.Options;
            BrokerServerOptions after = before.Copy();
            change(after);
            RefuseFixed(before, after);
            after = after.Copy();
            after.Validate();
            secures = !after.HasSameSecurityAs(before);
            OperatorMode? tokens = secures ? after.CreateOperatorMode(core.Time, Tokens) : Tokens;
            SecurityRules rules = secures ? new SecurityRules(after, tokens, core.CreateCallout(after)) : core.Security;
            AccountPlan plan = after.CreatePlan(tokens);
            var tls = ServerTls.Create(after.Tls);
            changes = OptionChanges.Describe(before, after);
            // Nothing can fail after this point.
            Apply(before, after, rules, plan, tls);
            StartTimer();
        }

        core.Log.Reloaded(changes);
        if (secures)
        {
            core.Log.SecurityUpdated();
        }
    }

    /// <summary>
    /// Starts the timer for the next time when a JWT of an account or an activation expires or becomes valid, and logs
    /// imports without effect. Called when the server has started.
    /// </summary>
    internal void Begin()
    {
        lock (_gate)
        {
            StartTimer();
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            _timer?.Dispose();
        }
    }

    private OperatorMode? Tokens => core.Security.Tokens as OperatorMode;

    private void StartTimer()
    {
        if (Tokens is not { } tokens || _disposed)
        {
            _timer?.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            return;
        }

        foreach (string warning in tokens.Warnings)
        {
            core.Log.ImportWithoutEffect(warning);
        }

        StartTimer(tokens);
    }

    private void StartTimer(OperatorMode tokens)
    {
        if (tokens.NextChange != long.MaxValue)
        {
            double seconds = Math.Clamp(tokens.NextChange - (core.Time.GetUtcNow().ToUnixTimeMilliseconds() / 1000.0), 0, LongestTimer.TotalSeconds);
            _timer ??= core.Time.CreateTimer(static self => ((ServerReload)self!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            _timer.Change(TimeSpan.FromSeconds(seconds), Timeout.InfiniteTimeSpan);
        }
    }

    private void OnTimer()
    {
        lock (_gate)
        {
            if (_disposed || Tokens is not { } before)
            {
                return;
            }

            if (core.Time.GetUtcNow().ToUnixTimeSeconds() < before.NextChange)
            {
                StartTimer(before);
                return;
            }

            try
            {
                BrokerServerOptions options = core.Options;
                OperatorMode? tokens = options.CreateOperatorMode(core.Time, before);
                Apply(options, options, new SecurityRules(options, tokens), options.CreatePlan(tokens), core.Tls);
                StartTimer();
            }
            catch (ArgumentException e)
            {
                // A JWT that became valid conflicts with another one. The server keeps its accounts.
                core.Log.ImportWithoutEffect(e.Message);
            }
        }
    }

    private void Apply(
        BrokerServerOptions before, BrokerServerOptions after, SecurityRules rules, AccountPlan plan, ServerTls? tls)
    {
        bool secures = rules != core.Security;
        bool tell = !string.Equals(before.ClientAdvertise, after.ClientAdvertise, StringComparison.Ordinal)
            || !before.ConnectUrls.SequenceEqual(after.ConnectUrls, StringComparer.Ordinal);
        core.Options = after;
        core.OptionsLoaded = core.Now;
        core.Tls = tls;
        if (secures)
        {
            core.Accounts.Apply(plan);
            core.Targets.ApplyImports();
            requests.Subscribe();
            IAuthCallout? callout = core.Security.Callout;
            core.Security = rules;
            if (callout != rules.Callout)
            {
                callout?.Dispose();
            }
        }

        if (before.SampleSubjects != after.SampleSubjects)
        {
            core.ApplySampling();
        }

        if (tell)
        {
            core.MarkInfoChanged();
        }

        // No session is missed: a session that is not in the list yet reads the options again after it has been added.
        foreach (ClientSession session in core.Sessions)
        {
            session.OnReloaded(secures, tell);
        }

        tls?.LogValidity(core.Log);
    }

    private static void RefuseFixed(BrokerServerOptions before, BrokerServerOptions after)
    {
        bool isRenamed = !string.Equals(before.ServerName, after.ServerName, StringComparison.Ordinal);
        string? changed = !before.EndPoints.SequenceEqual(after.EndPoints) ? nameof(BrokerServerOptions.EndPoints)
            : isRenamed ? nameof(BrokerServerOptions.ServerName)
            : before.Loops != after.Loops ? nameof(BrokerServerOptions.Loops)
            : before.LoopOptions != after.LoopOptions ? nameof(BrokerServerOptions.LoopOptions)
            : before.Logger != after.Logger ? nameof(BrokerServerOptions.Logger)
            : null;
        if (changed is not null)
        {
            throw new ArgumentException($"{changed} cannot change while the server runs.");
        }
    }
}
