using System.Diagnostics;
using Broker.TestKit.Processes;

namespace Broker.TestKit.Browsers;

/// <summary>A headless browser with a profile of its own that shows one page.</summary>
public sealed class Chromium : IAsyncDisposable
{
    private readonly Process _process;
    private readonly string _profile;

    /// <summary>The file in which the browser writes the port of its DevTools.</summary>
    public string PortFile => Path.Combine(_profile, "DevToolsActivePort");

    private Chromium(Process process, string profile)
    {
        _process = process;
        _profile = profile;
    }

    /// <summary>Skips the test if there is no browser. In CI it fails the test.</summary>
    public static Chromium Open(string address)
    {
        string program = Programs.Find("google-chrome") ?? Programs.Require("chromium");
        string profile = Directory.CreateTempSubdirectory("chromium").FullName;
        Process process = Process.Start(new ProcessStartInfo(program)
        {
            // The sandbox needs rights that a container may lack. The page belongs to the test, so the sandbox is not
            // needed.
            ArgumentList =
            {
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                "--disable-background-networking", "--disable-component-update", "--no-proxy-server", "--remote-debugging-port=0", $"--user-data-dir={profile}", address,
            },
            RedirectStandardError = true,
            RedirectStandardOutput = true,
        })!;
        process.BeginErrorReadLine();
        process.BeginOutputReadLine();
        return new Chromium(process, profile);
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
        }

        await _process.WaitForExitAsync(CancellationToken.None);
        _process.Dispose();
        try
        {
            Directory.Delete(_profile, recursive: true);
        }
        catch (IOException)
        {
            // A helper process of the browser may still write a file.
        }
    }
}
