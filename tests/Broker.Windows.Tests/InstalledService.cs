using System.Text.Json;

namespace Broker.Windows.Tests;

/// <summary>The broker as a service of a Windows, which is removed when the test is over.</summary>
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
            // Of a run before, on programs that were published for several.
            Directory.Delete(folder, recursive: true);
        }

        _folder = Directory.CreateDirectory(folder).FullName;
    }

    /// <summary>What it has logged.</summary>
    public string Log => File.Exists(LogFile) ? ReadShared(LogFile) : "";

    /// <summary>Its configuration, as a path that begins beside the program.</summary>
    private string Configuration => Path.Combine(_folder, "broker.conf");

    private string LogFile => Path.Combine(_folder, "the log.txt");

    /// <param name="windows">Where.</param>
    /// <param name="name">Of the service.</param>
    /// <param name="configuration">Beside the addresses, which are free ones.</param>
    /// <param name="flags">Beside those for the files.</param>
    public static async Task<InstalledService> InstallAsync(WindowsMachine windows, string name, string configuration, params string[] flags)
    {
        var service = new InstalledService(windows, name);
        service.Configure(configuration);
        // Relative ones with a space, for the folder that a service starts in is none of ours.
        await windows.SucceedAsync(
            windows.Broker,
            ["service", "install", "--service-name", name, "--start", "demand", "-c", name + "/broker.conf", "-l", name + "/the log.txt", "--ports_file_dir", name, .. flags]);
        return service;
    }

    public void Configure(string configuration) => File.WriteAllText(Configuration, "listen: \"127.0.0.1:-1\"\n" + configuration);

    public Task<string> DoAsync(string verb) => _windows.SucceedAsync(_windows.Broker, "service", verb, "--service-name", _name);

    public Task<(int ExitCode, string Text)> TryAsync(string verb) => _windows.RunAsync(_windows.Broker, "service", verb, "--service-name", _name);

    /// <summary>By the commands of Windows itself.</summary>
    public async Task NetAsync(string verb)
    {
        (int code, string said) = await _windows.RunAsync("net.exe", verb, _name);
        // One that was not taken by then is not, however long it is waited for.
        Assert.True(code == 0 || verb != "start", $"net {verb} {_name} answered {code}: {said}\n{Log}");
        string wanted = verb == "start" ? "RUNNING" : "STOPPED";
        string text = "";
        await Wait.UntilAsync(async () => (text = (await _windows.RunAsync("sc.exe", "query", _name)).Text).Contains(wanted, StringComparison.Ordinal), () => $"net {verb} answered {code}: {said}\n{text}\n{Log}");
    }

    /// <summary>The addresses of the running one: NATS, then what ZeroMQ publishers and subscribers connect to.</summary>
    public async Task<(string Nats, string Publishers, string Subscribers)> AddressesAsync()
    {
        string? file = null;
        await Wait.UntilAsync(() => (file = Directory.EnumerateFiles(_folder, "broker_*.ports").FirstOrDefault()) is not null, "the addresses");
        using JsonDocument json = JsonDocument.Parse(await File.ReadAllBytesAsync(file!, TestContext.Current.CancellationToken));
        JsonElement zeroMq = json.RootElement.GetProperty("zeromq");
        return (First(json.RootElement.GetProperty("nats"))!, First(zeroMq.GetProperty("publishers")) ?? "", First(zeroMq.GetProperty("subscribers")) ?? "");
    }

    public async ValueTask DisposeAsync() => await TryAsync("uninstall");

    private static string? First(JsonElement array) => array.EnumerateArray().Select(a => a.GetString()).FirstOrDefault();

    // It is written to meanwhile.
    private static string ReadShared(string path)
    {
        using var reader = new StreamReader(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        return reader.ReadToEnd();
    }
}
