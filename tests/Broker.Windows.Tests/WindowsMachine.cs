using System.Diagnostics;

namespace Broker.Windows.Tests;

/// <summary>
/// Windows as Wine has it, in a folder of its own, with the programs of this repository published for it. Made once for all tests, one
/// after the other. <c>eng/test-windows.sh</c> has published them already, and says where.
/// </summary>
/// <remarks>
/// The service control manager ends with the last program of a user, and all services with it: a shell that waits for input stays.
/// </remarks>
public sealed class WindowsMachine : IAsyncLifetime
{
    private const string Wine = "/usr/lib/wine/wine64";
    // The runtime maps its code twice, and with Wine 8 it dies of that when a dynamic method is finalized.
    private const string MappingSetting = "DOTNET_EnableWriteXorExecute";
    private const string WineServer = "/usr/lib/wine/wineserver";

    // Of a start, a stop, a publish: so long that only what hangs is ended.
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(8);

    // For what runs when the server has died.
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(10);

    // A fault of ours that ended each of them would be seen.
    private const int MostWindows = 3;

    private DirectoryInfo? _folder;
    private string _programs = "";
    private string _prefix = "";
    private int _started;
    private Process? _server;
    private Process? _user;

    /// <summary>The command, published for Windows.</summary>
    public string Broker => Path.Combine(_programs, "broker", "broker.exe");

    /// <summary>The sample of a service, likewise.</summary>
    public string Sample => Path.Combine(_programs, "sample", "WindowsService.exe");

    private string Folder => _folder!.FullName;

    private bool HasEnded => _server!.HasExited;

    public async ValueTask InitializeAsync()
    {
        if (!OperatingSystem.IsLinux() || !File.Exists(Wine))
        {
            // The tests say it, each by its name.
            return;
        }

        _folder = Directory.CreateTempSubdirectory("windows-");
        _programs = Environment.GetEnvironmentVariable("BROKER_WINDOWS_PROGRAMS") ?? "";
        if (_programs.Length == 0)
        {
            _programs = Path.Combine(Folder, "programs");
            await SucceedAsync(Path.Combine(Repository.Root, "eng", "publish-windows.sh"), _programs);
        }

        await StartAsync();
    }

    /// <summary>
    /// Runs a test, or skips it where there is no Wine; in CI that fails. Wine 8's server dies now and then of a fault of its own ("corrupted
    /// double-linked list" is what it says), and all of its programs wait for it from then on. A test that has failed while its Windows ended has shown
    /// nothing of ours: it is run again, in another one. Whatever else fails has failed.
    /// </summary>
    public async Task TestAsync(Func<Task> test)
    {
        Missing.Unless(_folder is not null, "wine64");
        for (int left = MostWindows; ; left--)
        {
            if (HasEnded)
            {
                await EndAsync();
                await StartAsync();
            }

            try
            {
                await test();
                return;
            }
            catch (Exception e) when (HasEnded && left > 1)
            {
                TestContext.Current.SendDiagnosticMessage($"this Windows has ended, and the test is run in another: {EndOfServer()} {e.Message}");
            }
        }
    }

    /// <summary>Runs a program of Windows to its end.</summary>
    public Task<(int ExitCode, string Text)> RunAsync(string program, params IEnumerable<string> arguments)
    {
        if (!program.EndsWith(".exe", StringComparison.Ordinal))
        {
            return RunProcessAsync(Setup(program, [.. arguments]), windows: null);
        }

        // It would start another server, without the services of this one.
        return HasEnded ? throw new InvalidOperationException($"{program}: this Windows has ended: {EndOfServer()}") : RunProcessAsync(Setup(Wine, [program, .. arguments]), _server);
    }

    /// <summary>Runs one that must succeed.</summary>
    public async Task<string> SucceedAsync(string program, params string[] arguments)
    {
        (int exitCode, string text) = await RunAsync(program, arguments);
        Assert.True(exitCode == 0, $"{program} {string.Join(' ', arguments)} answered {exitCode}:\n{text}");
        return text;
    }

    public async ValueTask DisposeAsync()
    {
        if (_folder is null)
        {
            return;
        }

        // All of this Windows, and nothing else of this machine. What will not end is no fault of what was tested.
        try
        {
            await EndAsync();
            _folder.Delete(recursive: true);
        }
        catch (Exception e) when (e is TimeoutException or IOException or UnauthorizedAccessException)
        {
            TestContext.Current.SendDiagnosticMessage($"left in {Folder}: {e.Message}");
        }
    }

    private async Task StartAsync()
    {
        _prefix = Path.Combine(Folder, $"wine{++_started}");
        // What it starts for good must not hold our pipes. When the last program has ended, the server ends its services and then
        // itself; who comes in between would find no service control manager.
        await SucceedAsync("sh", "-c", $"{Wine} wineboot -i >/dev/null 2>&1 && {Wine} winecfg -v win10 >/dev/null 2>&1 && {WineServer} -w");
        // Else it gives up a service that has not come up within 10 s, which on a machine with much else to do is soon.
        const string Control = @"HKLM\SYSTEM\CurrentControlSet\Control";
        await SucceedAsync(
            "sh", "-c",
            $@"{Wine} reg.exe add '{Control}\Session Manager\Environment' /v {MappingSetting} /d 0 /f >/dev/null && "
                + $"{Wine} reg.exe add '{Control}' /v ServicesPipeTimeout /t REG_DWORD /d 600000 /f >/dev/null && {WineServer} -w");
        // As a program of ours that stays: one that is started by the first program of a user ends with the last, and what comes in between has another
        // Windows, without the services of this one. What it says at its end tells why tests fail then.
        _server = Process.Start(Setup("sh", "-c", $"exec {WineServer} -p -f 2>{_prefix}.log"));
        // A pipe that it has open for writing too, and so never comes to the end of.
        _user = Process.Start(Setup("sh", "-c", $"mkfifo {_prefix}.hold && exec <>{_prefix}.hold && exec {Wine} cmd.exe >/dev/null 2>&1"));
        // The first program of a Windows starts its services, which keep what that one writes to until they end. Beside much else the shell is not
        // always the first; whoever comes from here on finds them there, and its output ends with it.
        await RunAsync("sh", "-c", $"{Wine} sc.exe query >/dev/null 2>&1");
    }

    // All of this Windows, and nothing else of this machine.
    private async Task EndAsync()
    {
        // The shell first: it reads from the pipe itself, and does not hear of the server's end.
        if (_user is not null)
        {
            _user.Kill(entireProcessTree: true);
            await _user.WaitForExitAsync(CancellationToken.None);
            _user.Dispose();
        }

        await RunAsync(WineServer, "-k");
        await RunAsync("timeout", "60", WineServer, "-w");
        _server?.Dispose();
        // Those of a server that has died wait for it for ever.
        foreach (string process in Directory.EnumerateDirectories("/proc").Where(static p => char.IsAsciiDigit(Path.GetFileName(p)[0])).Where(IsOurs))
        {
            await RunAsync("kill", "-KILL", Path.GetFileName(process));
        }
    }

    private bool IsOurs(string process)
    {
        try
        {
            return File.ReadAllText(Path.Combine(process, "environ")).Split('\0').Contains("WINEPREFIX=" + _prefix, StringComparer.Ordinal);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // It has ended meanwhile, or is somebody else's.
            return false;
        }
    }

    private ProcessStartInfo Setup(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = Folder, RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
        };
        start.Environment["WINEPREFIX"] = _prefix;
        start.Environment["WINEDEBUG"] = "-all";
        start.Environment[MappingSetting] = "0";
        start.Environment.Remove("DISPLAY");
        // A compiler that stays for later would hold our pipes.
        start.Environment["UseSharedCompilation"] = "false";
        // What the runner says of its own runtime and build is not meant for these.
        string[] ours = [.. start.Environment.Keys.Where(k => k.StartsWith("DOTNET_ROOT", StringComparison.Ordinal) || k.StartsWith("MSBuild", StringComparison.OrdinalIgnoreCase))];
        foreach (string variable in ours)
        {
            start.Environment.Remove(variable);
        }

        return start;
    }

    private string EndOfServer() => File.ReadAllText(_prefix + ".log").Trim();

    // Windows is the server that the program needs; null for a program of Linux.
    private async Task<(int ExitCode, string Text)> RunProcessAsync(ProcessStartInfo start, Process? windows)
    {
        using Process process = Process.Start(start)!;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Limit);
        process.StandardInput.Close();
        Task<string> output = process.StandardOutput.ReadToEndAsync(limit.Token);
        Task<string> errors = process.StandardError.ReadToEndAsync(limit.Token);
        try
        {
            Task ended = process.WaitForExitAsync(limit.Token);
            if (windows is not null && await Task.WhenAny(ended, windows.WaitForExitAsync(limit.Token)) != ended)
            {
                // What it has to do without the server it does soon.
                limit.CancelAfter(Grace);
            }

            await ended;
            return (process.ExitCode, await output + await errors);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            string why = windows is { HasExited: true } ? $"did not end: this Windows has: {EndOfServer()}" : "did not end in time";
            throw new TimeoutException($"{start.FileName} {string.Join(' ', start.ArgumentList)} {why}");
        }
    }
}
