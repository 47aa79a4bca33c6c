using System.Diagnostics;

namespace Broker.Windows.Tests;

/// <summary>
/// A Windows machine in the form of Wine, in a folder of its own, with the published programs of this repository. All
/// tests share it, one after the other. <c>eng/test-windows.sh</c> publishes the programs and passes their folder.
/// </summary>
/// <remarks>
/// Wine's service control manager ends with the user's last program, and all services end with it. So a shell that
/// waits for input keeps running.
/// </remarks>
public sealed class WindowsMachine : IAsyncLifetime
{
    private const string Wine = "/usr/lib/wine/wine64";
    // By default the runtime maps its code twice (W^X). With Wine 8 it then crashes when a dynamic method is finalized.
    private const string MappingSetting = "DOTNET_EnableWriteXorExecute";
    private const string WineServer = "/usr/lib/wine/wineserver";

    // The time limit of a start, a stop or a publish. Only a program that hangs reaches it.
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(8);

    // The time limit of programs that still run after Wine's server has crashed.
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(10);

    // The maximum number of crashes. A fault of ours that crashes every machine exceeds it.
    private const int MostWindows = 3;

    private DirectoryInfo? _folder;
    private string _programs = "";
    private string _prefix = "";
    private int _started;
    private Process? _server;
    private Process? _user;

    /// <summary>The command, published for Windows.</summary>
    public string Broker => Path.Combine(_programs, "broker", "broker.exe");

    /// <summary>The sample of a service, published for Windows.</summary>
    public string Sample => Path.Combine(_programs, "sample", "WindowsService.exe");

    /// <summary>The program with both lifetimes of a service, published for Windows.</summary>
    public string Lifetimes => Path.Combine(_programs, "lifetimes", "Broker.Windows.Lifetimes.exe");

    /// <summary>The programs of NetMQ, published for Windows.</summary>
    public string NetMqPeer => Path.Combine(_programs, "netmq", "Broker.NetMqPeer.exe");

    private string Folder => _folder!.FullName;

    private bool HasEnded => _server!.HasExited;

    public async ValueTask InitializeAsync()
    {
        if (!OperatingSystem.IsLinux() || !File.Exists(Wine))
        {
            // Each test reports the error under its own name.
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
    /// Runs a test. Without Wine it skips the test; in CI it fails. Wine 8's server sometimes crashes by a fault of its
    /// own ("corrupted double-linked list"), and then all of its programs hang. If a test fails and the server has
    /// crashed, the test runs again on a new machine. Any other failure is a failure.
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

    /// <summary>Runs a Windows program and waits for its exit.</summary>
    public Task<(int ExitCode, string Text)> RunAsync(string program, params IEnumerable<string> arguments)
    {
        if (!program.EndsWith(".exe", StringComparison.Ordinal))
        {
            return RunProcessAsync(Setup(program, [.. arguments]), windows: null);
        }

        // The program would start a second Wine server, without the services of this one.
        return HasEnded ? throw new InvalidOperationException($"{program}: this Windows has ended: {EndOfServer()}") : RunProcessAsync(Setup(Wine, [program, .. arguments]), _server);
    }

    /// <summary>Runs a program whose exit code must be 0.</summary>
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

        // Kills all programs of this Wine server, and no others. A program that does not end is not a failure of the
        // test.
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
        // Permanent programs must not inherit our pipes. When the last program has ended, the server ends its services
        // and then itself. A program that starts in between finds no service control manager.
        await SucceedAsync("sh", "-c", $"{Wine} wineboot -i >/dev/null 2>&1 && {Wine} winecfg -v win10 >/dev/null 2>&1 && {WineServer} -w");
        // By default Wine gives up a service that has not started within 10 s, which is too short on a busy machine.
        const string Control = @"HKLM\SYSTEM\CurrentControlSet\Control";
        await SucceedAsync(
            "sh", "-c",
            $@"{Wine} reg.exe add '{Control}\Session Manager\Environment' /v {MappingSetting} /d 0 /f >/dev/null && "
                + $"{Wine} reg.exe add '{Control}' /v ServicesPipeTimeout /t REG_DWORD /d 600000 /f >/dev/null && {WineServer} -w");
        // The server runs as a permanent program of ours. If the user's first program started it, it would end with the
        // last one, and later programs would get another server without these services. Its last output explains
        // failures of tests.
        _server = Process.Start(Setup("sh", "-c", $"exec {WineServer} -p -f 2>{_prefix}.log"));
        // The shell's own input pipe, which it also has open for writing, so that it never reaches the end.
        _user = Process.Start(Setup("sh", "-c", $"mkfifo {_prefix}.hold && exec <>{_prefix}.hold && exec {Wine} cmd.exe >/dev/null 2>&1"));
        // The first program starts the services, and they keep its output open until they end. On a busy machine the
        // shell is not always the first. From here on the services run, so the output of a program ends with the
        // program.
        await RunAsync("sh", "-c", $"{Wine} sc.exe query >/dev/null 2>&1");
    }

    // Kills all programs of this Wine server, and no others.
    private async Task EndAsync()
    {
        // The shell first: it reads from the pipe, so it does not notice the server's end.
        if (_user is not null)
        {
            _user.Kill(entireProcessTree: true);
            await _user.WaitForExitAsync(CancellationToken.None);
            _user.Dispose();
        }

        await RunAsync(WineServer, "-k");
        await RunAsync("timeout", "60", WineServer, "-w");
        _server?.Dispose();
        // Programs of a crashed server wait for it forever.
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
            // The process has ended, or belongs to another user.
            return false;
        }
    }

    private ProcessStartInfo Setup(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = Folder,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["WINEPREFIX"] = _prefix;
        start.Environment["WINEDEBUG"] = "-all";
        start.Environment[MappingSetting] = "0";
        start.Environment.Remove("DISPLAY");
        // A compiler server would keep our pipes open.
        start.Environment["UseSharedCompilation"] = "false";
        // The runner's variables about its runtime and build must not reach these programs.
        string[] ours = [.. start.Environment.Keys.Where(k => k.StartsWith("DOTNET_ROOT", StringComparison.Ordinal) || k.StartsWith("MSBuild", StringComparison.OrdinalIgnoreCase))];
        foreach (string variable in ours)
        {
            start.Environment.Remove(variable);
        }

        return start;
    }

    private string EndOfServer() => File.ReadAllText(_prefix + ".log").Trim();

    // The Wine server that the program needs; null for a Linux program.
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
                // Without the server, the program ends soon.
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
