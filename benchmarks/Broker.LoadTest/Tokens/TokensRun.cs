using System.Diagnostics;
using System.Net.Sockets;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;
using Broker.TestKit.Processes;
using Broker.TestKit.Security;

namespace Broker.LoadTest.Tokens;

/// <summary>Measures one server with an operator and a directory of accounts.</summary>
internal sealed class TokensRun(TokensSettings settings, ServerCommand command)
{
    private const int Logins = 2000;
    private const int AtOnce = 8;
    private const int Updated = 100;
    private const string Update = "$SYS.REQ.CLAIMS.UPDATE";
    private const string Subject = "forbidden";

    private static readonly TimeSpan Settle = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);

    private readonly JwtSite _site = new();
    private readonly JwtKey _user = JwtKey.ForUser();
    private readonly JwtKey[] _accounts = [.. Enumerable.Range(0, settings.Accounts).Select(static _ => JwtKey.ForAccount())];
    private readonly TokensOutcome _outcome = new(command.Name);
    private readonly int _port = PortSequence.Next();
    private long _issued = 1_700_000_000;

    public async Task<TokensOutcome> RunAsync(CancellationToken cancellationToken)
    {
        DirectoryInfo directory = Directory.CreateTempSubdirectory("broker-tokens-");
        try
        {
            string file = Write(directory);
            using Process server = Start(file, out Task output);
            try
            {
                await AwaitStartAsync(server, cancellationToken).ConfigureAwait(false);
                await MeasureLoginsAsync(server, cancellationToken).ConfigureAwait(false);
                await MeasureMemoryAsync(server, cancellationToken).ConfigureAwait(false);
                await MeasureUpdatesAsync(cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                server.Kill();
            }

            await output.ConfigureAwait(false);
            return _outcome;
        }
        catch (SocketException e)
        {
            throw new DriverException(e.Message, e);
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    private string Write(DirectoryInfo directory)
    {
        string jwts = directory.CreateSubdirectory("jwts").FullName;
        foreach (JwtKey account in _accounts.Append(_site.System))
        {
            File.WriteAllText(Path.Combine(jwts, account + ".jwt"), Account(account, ""));
        }

        string file = Path.Combine(directory.FullName, "server.conf");
        File.WriteAllText(
            file,
            $"operator: \"{_site.OperatorJwt()}\"\nsystem_account: {_site.System}\nresolver {{ type: full, dir: \"{jwts}\" }}\n"
            + $"resolver_preload {{ {_site.System}: \"{Account(_site.System, "")}\" }}\n");
        return file;
    }

    // The tags fill the JWT up to about 1 KB.
    private string Account(JwtKey account, string claims)
        => _site.Operator.Sign(
            account.Public,
            $"{JwtSite.NoLimits},{claims}\"tags\":[\"{new string('x', 180)}\"],\"type\":\"account\",\"version\":2",
            issued: _issued++);

    private Process Start(string file, out Task output)
    {
        var process = new Process
        {
            StartInfo = new ProcessStartInfo(command.FileName, [.. command.ArgumentsFor(_port, null), "-c", file])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            },
        };
        process.Start();
        output = Task.WhenAll(process.StandardOutput.ReadToEndAsync(CancellationToken.None), process.StandardError.ReadToEndAsync(CancellationToken.None));
        return process;
    }

    private async Task AwaitStartAsync(Process server, CancellationToken cancellationToken)
    {
        for (var watch = Stopwatch.StartNew(); ;)
        {
            try
            {
                using TokenClient client = await OpenAsync(_site.System, cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (SocketException) when (watch.Elapsed < StartLimit && !server.HasExited)
            {
                await Task.Delay(100, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private Task<TokenClient> OpenAsync(JwtKey account, CancellationToken cancellationToken)
        => TokenClient.OpenAsync(_port, _site.UserJwt(_user, signer: account), _user, cancellationToken);

    private async Task MeasureLoginsAsync(Process server, CancellationToken cancellationToken)
    {
        await LogInAsync(Logins, static _ => 0, cancellationToken).ConfigureAwait(false);
        var meter = new CpuMeter(server);
        TimeSpan before = meter.ReadTotal();
        await LogInAsync(Logins, static _ => 0, cancellationToken).ConfigureAwait(false);
        _outcome.LoginMilliseconds = (meter.ReadTotal() - before).TotalMilliseconds / Logins;
    }

    private async Task MeasureMemoryAsync(Process server, CancellationToken cancellationToken)
    {
        var meter = new CpuMeter(server);
        long before = meter.ReadResidentBytes();
        await LogInAsync(_accounts.Length, static i => i, cancellationToken).ConfigureAwait(false);
        await Task.Delay(Settle, cancellationToken).ConfigureAwait(false);
        _outcome.Megabytes = (before / 1e6, meter.ReadResidentBytes() / 1e6);
    }

    private Task LogInAsync(int count, Func<int, int> account, CancellationToken cancellationToken)
        => Parallel.ForEachAsync(
            Enumerable.Range(0, count),
            new ParallelOptions { MaxDegreeOfParallelism = AtOnce, CancellationToken = cancellationToken },
            async (i, stop) => (await OpenAsync(_accounts[account(i)], stop).ConfigureAwait(false)).Dispose());

    private async Task MeasureUpdatesAsync(CancellationToken cancellationToken)
    {
        int updated = Math.Min(Updated, _accounts.Length - 1);
        var clients = new List<TokenClient>();
        for (int i = 0; i < settings.Clients; i++)
        {
            clients.Add(await OpenAsync(_accounts[i % updated], cancellationToken).ConfigureAwait(false));
        }

        using TokenClient system = await OpenAsync(_site.System, cancellationToken).ConfigureAwait(false);
        await system.SendAsync("SUB answers 1\r\n", cancellationToken).ConfigureAwait(false);
        using TokenClient other = await OpenAsync(_accounts[^1], cancellationToken).ConfigureAwait(false);
        double without = await PingAsync(other, Settle, cancellationToken).ConfigureAwait(false);
        Task<double> with = PingAsync(other, settings.Duration, cancellationToken);
        await UpdateAsync(system, clients, updated, cancellationToken).ConfigureAwait(false);
        _outcome.PingMilliseconds = (without, await with.ConfigureAwait(false));
        foreach (TokenClient client in clients)
        {
            try
            {
                await client.SendAsync("PING\r\n", cancellationToken).ConfigureAwait(false);
                await client.ReadToPongAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is DriverException or SocketException)
            {
                _outcome.Lost++;
            }

            client.Dispose();
        }
    }

    // Each account is forbidden a subject and allowed it again, in turn. After each answer a client of the account
    // tries.
    private async Task UpdateAsync(TokenClient system, List<TokenClient> clients, int updated, CancellationToken cancellationToken)
    {
        var times = new List<double>();
        var watch = Stopwatch.StartNew();
        for (int i = 0; watch.Elapsed < settings.Duration; i++)
        {
            int account = i % updated;
            bool forbids = i / updated % 2 == 0;
            string jwt = Account(_accounts[account], forbids ? $"\"default_permissions\":{{\"pub\":{{\"deny\":[\"{Subject}\"]}}}}," : "");
            long before = Stopwatch.GetTimestamp();
            string answer = await system.RequestAsync(Update, jwt, cancellationToken).ConfigureAwait(false);
            times.Add(Stopwatch.GetElapsedTime(before).TotalMilliseconds);
            if (!answer.Contains("jwt updated", StringComparison.Ordinal))
            {
                throw new DriverException($"an update was refused: {answer}");
            }

            TokenClient client = clients[account];
            await client.SendAsync($"PUB {Subject} 1\r\nx\r\nPING\r\n", cancellationToken).ConfigureAwait(false);
            bool isRefused = (await client.ReadToPongAsync(cancellationToken).ConfigureAwait(false)).Exists(static l => l.StartsWith("-ERR", StringComparison.Ordinal));
            _outcome.Forbidden += forbids && !isRefused ? 1 : 0;
            TimeSpan ahead = TimeSpan.FromSeconds((i + 1.0) / settings.Rate) - watch.Elapsed;
            if (ahead > TimeSpan.Zero)
            {
                await Task.Delay(ahead, cancellationToken).ConfigureAwait(false);
            }
        }

        _outcome.Updates = times.Count;
        _outcome.UpdateMilliseconds = Percentile(times);
    }

    private static async Task<double> PingAsync(TokenClient client, TimeSpan duration, CancellationToken cancellationToken)
    {
        var times = new List<double>();
        for (var watch = Stopwatch.StartNew(); watch.Elapsed < duration;)
        {
            long before = Stopwatch.GetTimestamp();
            await client.SendAsync("PING\r\n", cancellationToken).ConfigureAwait(false);
            await client.ReadToPongAsync(cancellationToken).ConfigureAwait(false);
            times.Add(Stopwatch.GetElapsedTime(before).TotalMilliseconds);
            await Task.Delay(1, cancellationToken).ConfigureAwait(false);
        }

        return Percentile(times);
    }

    private static double Percentile(List<double> times)
    {
        times.Sort();
        return times.Count == 0 ? 0 : times[(int)(times.Count * 0.99)];
    }
}
