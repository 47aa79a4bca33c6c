using System.Text.Json;

namespace Broker.Windows.Tests;

/// <summary>The broker as an installed Windows service, which is removed at the end of the test.</summary>
internal sealed class InstalledService : IAsyncDisposable
{
    private readonly WindowsMachine _windows;
    private readonly string _name;
    private readonly string _folder;

    private InstalledService(WindowsMachine windows, string name)
    {
        (_windows, _name) = (windows, name);
        string folder = Path.Combine(Path.GetDirectoryName(windows.Broker)!, name);
        if (Directory.Exists(folder))
        {
            // Removes the service of an earlier run with the same published programs.
            Directory.Delete(folder, recursive: true);
        }

        _folder = Directory.CreateDirectory(folder).FullName;
    }

    /// <summary>The service's log.</summary>
    public string Log => File.Exists(LogFile) ? ReadShared(LogFile) : "";

    /// <summary>The path of its configuration, relative to the program's folder.</summary>
    private string Configuration => Path.Combine(_folder, "broker.conf");

    private string LogFile => Path.Combine(_folder, "the log.txt");

    /// <param name="windows">The Windows machine.</param>
    /// <param name="name">The name of the service.</param>
    /// <param name="configuration">Lines that are added to the configuration. It has free addresses already.</param>
    /// <param name="flags">Flags that are added to those for the files.</param>
    public static async Task<InstalledService> InstallAsync(WindowsMachine windows, string name, string configuration, params string[] flags)
    {
        var service = new InstalledService(windows, name);
        service.Configure(configuration);
        // Relative paths with a space, because a service starts in a system folder.
        await windows.SucceedAsync(
            windows.Broker,
            ["service", "install", "--service-name", name, "--start", "demand", "-c", name + "/broker.conf", "-l", name + "/the log.txt", "--ports_file_dir", name, .. flags]);
        return service;
    }

    public void Configure(string configuration) => File.WriteAllText(Configuration, "listen: \"127.0.0.1:-1\"\n" + configuration);

    public Task<string> DoAsync(string verb) => _windows.SucceedAsync(_windows.Broker, "service", verb, "--service-name", _name);

    public Task<(int ExitCode, string Text)> TryAsync(string verb) => _windows.RunAsync(_windows.Broker, "service", verb, "--service-name", _name);

    /// <summary>Stops the service with Windows' own commands.</summary>
    public async Task NetAsync(string verb)
    {
        (int code, string said) = await _windows.RunAsync("net.exe", verb, _name);
        // A control that was not accepted by then is never accepted.
        Assert.True(code == 0 || verb != "start", $"net {verb} {_name} answered {code}: {said}\n{Log}");
        string wanted = verb == "start" ? "RUNNING" : "STOPPED";
        string text = "";
        await Wait.UntilAsync(async () => (text = (await _windows.RunAsync("sc.exe", "query", _name)).Text).Contains(wanted, StringComparison.Ordinal), () => $"net {verb} answered {code}: {said}\n{text}\n{Log}");
    }

    /// <summary>The addresses of the running service: NATS, ZeroMQ publishers, ZeroMQ subscribers.</summary>
    public async Task<(string Nats, string Publishers, string Subscribers)> AddressesAsync()
    {
        string? file = null;
        await Wait.UntilAsync(() => (file = Directory.EnumerateFiles(_folder, "broker_*.ports").FirstOrDefault()) is not null, "the addresses");
        using var json = JsonDocument.Parse(await File.ReadAllBytesAsync(file!, TestContext.Current.CancellationToken));
        JsonElement zeroMq = json.RootElement.GetProperty("zeromq");
        return (First(json.RootElement.GetProperty("nats"))!, First(zeroMq.GetProperty("publishers")) ?? "", First(zeroMq.GetProperty("subscribers")) ?? "");
    }

    public async ValueTask DisposeAsync() => await TryAsync("uninstall");

    private static string? First(JsonElement array) => array.EnumerateArray().Select(a => a.GetString()).FirstOrDefault();

    // The service may write to the file at the same time.
    private static string ReadShared(string path)
    {
        using var reader = new StreamReader(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        return reader.ReadToEnd();
    }
}
