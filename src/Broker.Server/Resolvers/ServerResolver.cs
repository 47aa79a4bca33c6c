namespace Broker.Server;

/// <summary>The resolver of a server with operators: its files, its web server and its lookups.</summary>
internal sealed class ServerResolver : IDisposable
{
    private readonly ServerCore _core;
    private readonly AccountLoader _loader;
    private readonly UrlSource? _url;
    private readonly UrlRefresh? _refresh;
    private readonly ClaimChannel? _channel;
    private readonly ClaimSync? _sync;

    private ServerResolver(ServerCore core, AccountUpdates updates, AccountResolver options, SystemRequests requests, SystemJson json)
    {
        _core = core;
        _url = options is UrlResolver url ? new UrlSource(url) : null;
        AccountFiles? files = options is DirectoryResolver directory ? new AccountFiles(directory, core.Time, core.Log) : null;
        _loader = new AccountLoader(core, updates, options, files, _url);
        Tokens.Loader = _loader;
        _refresh = options is UrlResolver refreshed ? new UrlRefresh(core, _loader, refreshed) : null;
        if (files is not null)
        {
            var claims = new ClaimRequests(core, updates, _loader, files, json);
            _channel = new ClaimChannel(core, claims, json);
            _sync = claims.HoldsAll ? new ClaimSync(core, _channel, claims, files) : null;
            requests.SystemAccountChanged = Attach;
        }
    }

    private OperatorMode Tokens => (OperatorMode)_core.Security.Tokens!;

    /// <summary>Creates the resolver of the options; null for none.</summary>
    internal static ServerResolver? Create(ServerCore core, AccountUpdates updates, SystemRequests requests, SystemJson json)
        => core.Options.Operator?.Resolver is { } options ? new ServerResolver(core, updates, options, requests, json) : null;

    /// <summary>Opens the directory, stores newer JWTs of the options, and loads these accounts and the system account.</summary>
    /// <exception cref="ArgumentException">The directory cannot be used, or the system account is not found.</exception>
    internal async Task StartAsync()
    {
        if (_loader.Files is { } files)
        {
            Open(files);
            Store(files, _core.Options.Operator!.Accounts);
            foreach (string account in _core.Options.Operator.Accounts.Keys)
            {
                await UseAsync(account).ConfigureAwait(false);
            }
        }

        if (Tokens.SystemAccount is { } system && !await UseAsync(system).ConfigureAwait(false))
        {
            throw new ArgumentException($"The system account is to be '{system}', but the resolver does not find it. The log has the reason.");
        }

        _refresh?.Start();
        Attach(_core.Accounts.SystemAccount);
        _loader.Peers = _channel;
    }

    private async Task<bool> UseAsync(string account)
    {
        if (!Tokens.IsInUse(account))
        {
            _loader.TryBegin(account, out Task found);
            await found.ConfigureAwait(false);
        }

        return Tokens.IsInUse(account);
    }

    private void Attach(Account system)
    {
        _channel?.Attach(system);
        _sync?.Attach(system);
    }

    public void Dispose()
    {
        _refresh?.Dispose();
        _sync?.Dispose();
        _channel?.Dispose();
        _loader.Dispose();
        _url?.Dispose();
    }

    private void Open(AccountFiles files)
    {
        try
        {
            files.Open();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ArgumentException($"The directory of the resolver cannot be used: {e.Message}", e);
        }

        if (files.WhyNotWritable() is { } why)
        {
            _core.Log.AccountRefused(null, $"the directory of the resolver cannot be written, so updates will be refused: {why}");
        }
    }

    // The options have been checked, so each JWT is valid.
    private void Store(AccountFiles files, IReadOnlyDictionary<string, string> accounts)
    {
        foreach ((string account, string jwt) in accounts)
        {
            try
            {
                if (!files.TryRead(account, out string? stored) || IsOlder(stored, jwt))
                {
                    files.Save(account, jwt);
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                _core.Log.AccountRefused(account, $"its JWT cannot be stored: {e.Message}");
            }
        }
    }

    private bool IsOlder(string stored, string jwt)
    {
        try
        {
            return Tokens.ReadTrusted(stored).Jwt.IssuedAt < Tokens.ReadTrusted(jwt).Jwt.IssuedAt;
        }
        catch (JwtException)
        {
            return true;
        }
    }
}
