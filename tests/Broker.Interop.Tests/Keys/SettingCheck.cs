using Broker.Cli.CommandLine;
using Broker.Cli.Configuration;
using Broker.Cli.Progress;
using Broker.Cli.Serving;
using Broker.Cli.Settings;
using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Interop.Tests.Keys;

/// <summary>Tries settings with nats-server and with the broker. Owns the folder of the files.</summary>
internal sealed class SettingCheck : IDisposable
{
    private const string NotSupported = " is not supported: ";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("keys-");
    private readonly string _config;
    private readonly string _certificate;
    private readonly string _key;

    public SettingCheck()
    {
        _config = Path.Combine(_folder.FullName, "test.conf");
        (_certificate, _key) = TestCertificates.WriteSelfSigned(_folder.FullName);
    }

    public void Dispose() => _folder.Delete(recursive: true);

    /// <summary>Returns whether a nats-server accepts the setting.</summary>
    public async Task<bool> AcceptsAsync(string program, Setting setting)
    {
        (int exitCode, string text) = await Programs.RunAsync(program, "", await ArgumentsAsync(setting));

        // A flag that nats-server does not know has the exit code 0.
        return (exitCode == 0 || setting.IsCommand) && !text.Contains("not defined", StringComparison.Ordinal);
    }

    /// <summary>Returns the answer of the broker, as in the table.</summary>
    public async Task<string> OursAsync(Setting setting)
        => setting.Section == "flags" ? await OursByFlagsAsync(setting) : OursByFile(await ArgumentsAsync(setting));

    private async Task<string[]> ArgumentsAsync(Setting setting)
    {
        await File.WriteAllTextAsync(_config, Fill(setting.File), TestContext.Current.CancellationToken);
        string[] flags = [.. setting.Flags.Select(FillPath)];
        return setting.IsCommand ? flags : flags.Contains(_config) ? ["-t", .. flags] : ["-t", "-c", _config, .. flags];
    }

    private async Task<string> OursByFlagsAsync(Setting setting)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        var screen = new Screen(output, error, isTerminal: false, static () => 80);
        var shell = new ShellStreams(Stream.Null, Stream.Null, error, isInputRedirected: true, colours: false);
        var command = new BrokerCommand(output, error, screen, shell, static () => throw new InvalidOperationException("a check starts nothing"));
        int exitCode = await command.RunAsync(await ArgumentsAsync(setting), TestContext.Current.CancellationToken);
        string text = error.ToString().Trim();
        Assert.DoesNotContain("warning", text, StringComparison.Ordinal);
        int reason = text.IndexOf(NotSupported, StringComparison.Ordinal);
        return reason >= 0 ? "no: " + text[(reason + NotSupported.Length)..].Split(" (--")[0]
            : exitCode == 0 || (setting.IsCommand && exitCode != ExitCode.Usage) ? "yes"
            : $"no: {text}";
    }

    private string OursByFile(string[] arguments)
    {
        var warnings = new List<ConfigProblem>();
        try
        {
            ServeSettings settings = ServeConfig.Bind(ConfigFile.Load(arguments[^1]).Root, new ServeSettings(), warnings);
            return ServeCheck.Problems(settings).Select(static p => $"no: {p.Problem}").Concat(warnings.Select(static w => $"no effect: {Reason(w.Message)}")).FirstOrDefault("yes");
        }
        catch (ConfigException e)
        {
            return $"no: {Reason(e.Problems[0].Message).Replace(_folder.FullName, "", StringComparison.Ordinal)}";
        }
    }

    private string Fill(string text)
        => text
            .Replace("\"CERT\"", $"\"{_certificate}\"", StringComparison.Ordinal)
            .Replace("\"KEY\"", $"\"{_key}\"", StringComparison.Ordinal)
            .Replace("\"HASH\"", $"\"{new string('a', 64)}\"", StringComparison.Ordinal)
            .Replace("USERKEY", "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4", StringComparison.Ordinal)
            .Replace("ACCOUNTKEY", "ABJHLOVMPA4CI6R5KLNGOB4GSLNIY7IOUPAJC4YFNDLQVIOBYQGUWVLA", StringComparison.Ordinal);

    private string FillPath(string flag) => flag switch
    {
        "CERT" => _certificate,
        "KEY" => _key,
        "CONFIG" => _config,
        "FOLDER" => _folder.FullName,
        "FILE" => Path.Combine(_folder.FullName, "file"),
        _ => flag,
    };

    // The key stands in the row already.
    private static string Reason(string message)
    {
        foreach (string words in (ReadOnlySpan<string>)[NotSupported, " has no effect: ", " of an account has no effect: "])
        {
            int at = message.IndexOf(words, StringComparison.Ordinal);
            if (at > 0)
            {
                return message[(at + words.Length)..];
            }
        }

        return message;
    }
}
