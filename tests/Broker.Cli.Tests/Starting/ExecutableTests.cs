using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text.Json;
using Broker.Cli.Serving;

namespace Broker.Cli.Tests.Starting;

/// <summary>Tests the executable, started like from a script.</summary>
public sealed class ExecutableTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("broker")]
    [InlineData("nats-server")]
    public async Task The_ports_file_is_named_after_the_link_that_started_it(string name)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "links and signals are Unix's");
        string link = Path.Combine(_folder.Path, name);
        File.CreateSymbolicLink(link, Path.Combine(AppContext.BaseDirectory, "broker"));
        using Process process = Start(link, "-a", "0.0.0.0", "-p", "-1", "-m", "-1", "--ports_file_dir", _folder.Path);
        try
        {
            string file = Path.Combine(_folder.Path, $"{name}_{process.Id}.ports");
            using var guard = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
            guard.CancelAfter(2 * Wait.Limit);
            await Wait.UntilAsync(() => File.Exists(file) || process.HasExited, "the ports file");
            Assert.False(process.HasExited);
            using var ports = JsonDocument.Parse(await File.ReadAllTextAsync(file, guard.Token));
            using var http = new HttpClient();
            string health = await http.GetStringAsync(ports.RootElement.GetProperty("monitoring")[0].GetString() + "/healthz", guard.Token);
            Assert.Contains("ok", health, StringComparison.Ordinal);
            UnixSignals.Send(process.Id, UnixSignals.Terminate);
            await process.WaitForExitAsync(guard.Token);
            Assert.Equal(ExitCode.Success, process.ExitCode);
            Assert.False(File.Exists(file));
        }
        finally
        {
            process.Kill();
        }
    }

    [Fact]
    public async Task A_bridge_alone_reads_its_routes_again_at_a_signal()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "signals are Unix's");
        string file = Configure("{ pattern: worker, name: one, subject: a, endpoint: \"tcp://127.0.0.1:*\" }");
        using Process process = Start(Path.Combine(AppContext.BaseDirectory, "broker"), "bridge", "-s", "nats://127.0.0.1:1", "-c", file, "--ports_file_dir", _folder.Path);
        try
        {
            Task<string> said = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
            await Wait.UntilAsync(() => File.Exists(Path.Combine(_folder.Path, $"broker_{process.Id}.ports")) || process.HasExited, "the start");
            using var ports = JsonDocument.Parse(await File.ReadAllTextAsync(
                Path.Combine(_folder.Path, $"broker_{process.Id}.ports"), TestContext.Current.CancellationToken));
            using var http = new HttpClient();
            string page = ports.RootElement.GetProperty("monitoring")[0].GetString() + "/bridgez";
            Assert.Equal(["one"], await RoutesAsync());

            Configure("{ pattern: worker, name: one, subject: a, endpoint: \"tcp://127.0.0.1:*\" }, { pattern: pushpull, name: two, subject: b, pullers: \"tcp://127.0.0.1:*\" }");
            UnixSignals.Send(process.Id, UnixSignals.HangUp);
            await Wait.UntilAsync(async () => (await RoutesAsync()) is ["one", "two"], "the second route");

            Configure("{ pattern: pushpull, name: two, subject: b, pullers: \"tcp://127.0.0.1:*\" }");
            UnixSignals.Send(process.Id, UnixSignals.HangUp);
            await Wait.UntilAsync(async () => (await RoutesAsync()) is ["two"], "the end of the first route");

            UnixSignals.Send(process.Id, UnixSignals.Terminate);
            await Wait.For(process.WaitForExitAsync(TestContext.Current.CancellationToken));
            Assert.True(process.ExitCode == ExitCode.Success, await said);

            async Task<string[]> RoutesAsync()
            {
                using var document = JsonDocument.Parse(await http.GetStringAsync(page, TestContext.Current.CancellationToken));
                return [.. document.RootElement.GetProperty("routes").EnumerateArray().Select(static route => route.GetProperty("name").GetString()!)];
            }
        }
        finally
        {
            process.Kill();
        }

        string Configure(string routes) => _folder.Write("bridge.conf", $"http: \"127.0.0.1:-1\"\nzeromq {{ routes: [ {routes} ] }}");
    }

    [Fact]
    public async Task A_reload_that_is_refused_fails_where_it_was_asked_for()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "signals are Unix's");
        string program = Path.Combine(AppContext.BaseDirectory, "broker");
        string file = _folder.Write("b.conf", "port: -1\nping_max: 3\n");
        string pid = Path.Combine(_folder.Path, "pid");
        using Process process = Start(program, "-c", file, "-P", pid, "--ports_file_dir", _folder.Path);
        try
        {
            await Wait.UntilAsync(() => File.Exists(Path.Combine(_folder.Path, $"broker_{process.Id}.ports")) || process.HasExited, "the start");
            Assert.Equal((ExitCode.Success, ""), await ReloadAsync());

            _folder.Write("b.conf", "port: -1\nping_max: x\n");
            (int exitCode, string error) = await ReloadAsync();

            Assert.Equal(ExitCode.Failure, exitCode);
            Assert.StartsWith($"broker: process {process.Id} cannot reload: \"ping_max\" must be a whole number", error, StringComparison.Ordinal);
            Assert.Empty(Directory.GetFiles(Path.GetTempPath(), $"broker-reload-{process.Id}-*"));
        }
        finally
        {
            process.Kill();
        }

        async Task<(int ExitCode, string Error)> ReloadAsync()
        {
            using Process asking = Start(program, "--signal", $"reload={pid}");
            string error = await asking.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
            await Wait.For(asking.WaitForExitAsync(TestContext.Current.CancellationToken));
            return (asking.ExitCode, error);
        }
    }

    [Fact]
    public async Task By_that_name_it_tells_nats_servers_version_alone()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "links are Unix's");
        string link = Path.Combine(_folder.Path, "nats-server");
        File.CreateSymbolicLink(link, Path.Combine(AppContext.BaseDirectory, "broker"));
        using Process process = Start(link, "-v");

        string output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);

        Assert.Equal("nats-server: v2.9.10", output.TrimEnd());
    }

    [Fact]
    public async Task What_cannot_start_is_one_line_and_code_1()
    {
        string program = Path.Combine(AppContext.BaseDirectory, OperatingSystem.IsWindows() ? "broker.exe" : "broker");
        using Process process = Start(program, "-a", "203.0.113.7", "-p", "-1");

        string error = await process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);

        Assert.Equal(ExitCode.Failure, process.ExitCode);
        Assert.StartsWith("broker: cannot listen on 203.0.113.7:0", Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries)), StringComparison.Ordinal);
    }

    private static Process Start(string program, params string[] args)
    {
        var start = new ProcessStartInfo(program, args) { RedirectStandardOutput = true, RedirectStandardError = true };
        // The root of the runtime that runs this test: three folders above its assemblies.
        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "../../.."));
        return Process.Start(start)!;
    }
}
