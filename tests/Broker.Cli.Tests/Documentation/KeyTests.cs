using System.Text.RegularExpressions;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Cli.Tests.Starting;
using Broker.Cryptography;
using Broker.ZeroMq;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Cli.Tests.Documentation;

/// <summary>
/// Starts the broker with every key that docs/configuration.md documents. It starts if and only if the flag -t accepts
/// the file.
/// </summary>
public sealed class KeyTests : IAsyncLifetime
{
    private const string Hash = "$2a$11$W2zko751KUvVy59mUTWmpOdWjpEm5qhcCZRd05GjI/sSOT.xtiHyG";
    private const string PublicKey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

    private const string Seed = "SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM";

    private static readonly DocumentedText Page = DocumentedText.Read("docs/configuration.md");

    private static readonly string[] OddValues =
    [
        "\"\"", "0", "-1", "99999999999999999999", "9223372036854775807", "1.5", "[]", "[1, \"a\", { }]", "{ }", "{ a: 1 }",
        "null", "true", "\" \"", "\"\\x00\"", "\"a\\nb\"",
    ];

    private readonly TemporaryFolder _folder = new();
    private readonly ServeHost _server = new();
    private string _url = "";
    private string _certificate = "";
    private string _key = "";
    private string _seed = "";

    public static TheoryData<string, string> Keys => [.. KeyCases.All.Select(c => new TheoryDataRow<string, string>(c.Section, c.Key))];

    public async ValueTask InitializeAsync()
    {
        ServeAddresses addresses = await _server.StartAsync(
            new ServeSettings { Port = 0 }, NullLoggerFactory.Instance, TestContext.Current.CancellationToken);
        _url = addresses.Nats[0];
        (_certificate, _key) = TestCertificates.WriteSelfSigned(_folder.Path);
        _seed = _folder.Write("bridge.nk", Seed + "\n");
        var keys = CurveKeyPair.Generate(new CurveCryptography());
        _folder.Write("z.secret", keys.ExportSecretKey() + "\n");
        _folder.Write("z.certified", $"# of czmq\nmetadata\ncurve\n    public-key = \"{keys.PublicKey}\"\n    secret-key = \"{keys.ExportSecretKey()}\"\n");
        _folder.Write("z.public", keys.PublicKey.ToString());
        _folder.Write("clients/one.key", $"curve\n    public-key = \"{keys.PublicKey}\"\n");
        _folder.Write("z.users", "# who\nada:first\n");
        _folder.Write("z.password", "first\n");
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _folder.Dispose();
    }

    [Fact]
    public void Each_documented_key_has_a_case_and_each_case_is_documented()
    {
        IEnumerable<string> documented = Page.HeadingsOfTables("key").SelectMany(h => Page.FirstColumn(h).Select(k => $"{h}: {k}"));

        Assert.Equal(documented.Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal), KeyCases.All.Select(c => c.ToString()).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Each_key_that_is_understood_is_documented()
    {
        foreach (string section in KeyCases.All.Select(c => c.Section).Distinct(StringComparer.Ordinal))
        {
            string text = KeyCases.Template(section).Replace("BODY", "nobody_knows_this: 1", StringComparison.Ordinal);
            ConfigException e = Assert.Throws<ConfigException>(() => ServeConfig.Bind(Configuration.Parsing.Parse(text), new ServeSettings()));
            foreach (string known in e.Problems.Where(p => p.Known is not null).SelectMany(p => p.Known!))
            {
                Assert.True(Page.Names(known), $"the key \"{known}\" of {section} is not documented");
            }

            Assert.Contains(e.Problems, p => p.Known is not null);
        }
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public async Task With_what_a_key_may_hold_it_starts(string section, string key)
    {
        foreach (string text in Case(section, key).Valid)
        {
            (RealRun test, RealRun start, string file) = await RunAsync(section, text);

            Assert.True(test.ExitCode == ExitCode.Success && start.ExitCode == ExitCode.Success, $"{File.ReadAllText(file)}\n{test.Said}\n{start.Said}");
            Assert.NotNull(start.Addresses);
        }
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public async Task With_what_it_may_not_hold_both_say_where(string section, string key)
    {
        foreach (string text in Case(section, key).Invalid)
        {
            (RealRun test, RealRun start, string file) = await RunAsync(section, text);

            string because = $"{File.ReadAllText(file)}\n{test.Said}\n{start.Said}";
            Assert.True(test.ExitCode == ExitCode.Failure && start.ExitCode == ExitCode.Failure && start.Addresses is null, because);
            Assert.True(Regex.IsMatch(test.Error, @"^broker: .+ at " + Regex.Escape(file) + @":\d+:\d+", RegexOptions.Multiline), because);
        }
    }

    // The key is set again behind a valid value, so that the other keys that it needs are there too.
    [Theory]
    [MemberData(nameof(Keys))]
    public async Task A_value_that_nobody_wants_is_refused_with_its_place_or_works(string section, string key)
    {
        string body = Case(section, key).Valid.FirstOrDefault(static text => !text.StartsWith('^')) ?? "";
        foreach (string value in OddValues)
        {
            string text = $"{body}\n{key}: {value}";
            string file = _folder.Write("odd.conf", "port: -1\n" + Fill(KeyCases.Template(section).Replace("BODY", text, StringComparison.Ordinal)));
            RealRun test = await RealRun.Of("serve", "-t", "-c", file);
            CheckOdd(test, file);
            // A file with the name of a space would be left behind.
            if (test.ExitCode == ExitCode.Success && value != "\" \"" && !UsesSharedPlaces(file))
            {
                // A name that does not resolve, for example, is found only at the start.
                RealRun start = await RealRun.Of("serve", "-q", "-c", file);
                string because = $"{File.ReadAllText(file)}\n{start.Said}";
                Assert.True(start.ExitCode is ExitCode.Success or ExitCode.Failure, because);
                Assert.True(start.ExitCode == ExitCode.Success || start.Error.Contains("broker: ", StringComparison.Ordinal), because);
                Assert.DoesNotContain("(Parameter", start.Error, StringComparison.Ordinal);
            }
        }
    }

    [Fact]
    public async Task A_client_certificate_without_a_certificate_is_named_without_a_parameter_of_the_code()
    {
        const string Section = "tls of url";
        const string Key = "cert_file";
        string body = Case(Section, Key).Valid.First(static text => !text.StartsWith('^'));
        string text = $"{body}\n{Key}: \"{_folder.Write("empty.pem", "x")}\"";
        string file = _folder.Write("odd.conf", "port: -1\n" + Fill(KeyCases.Template(Section).Replace("BODY", text, StringComparison.Ordinal)));

        RealRun start = await RealRun.Of("serve", "-q", "-c", file);

        Assert.Equal(ExitCode.Failure, start.ExitCode);
        Assert.Contains("contains no PEM certificate", start.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("(Parameter", start.Error, StringComparison.Ordinal);
    }

    private static void CheckOdd(RealRun run, string file)
    {
        string because = $"{File.ReadAllText(file)}\n{run.Error}";
        string[] lines = run.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.True(run.ExitCode is ExitCode.Success or ExitCode.Failure, because);
        Assert.True(run.ExitCode == ExitCode.Success || lines.Length > 0, because);
        Assert.All(lines, line => Assert.True(Regex.IsMatch(line, "^broker: .+ at " + Regex.Escape(file) + @":\d+:\d+"), because));
        Assert.DoesNotContain("(Parameter", run.Error, StringComparison.Ordinal);
    }

    // Other tests use the default ports and the default directory of streams at the same time.
    private static bool UsesSharedPlaces(string file)
    {
        ServeSettings settings = ServeConfig.Bind(ConfigFile.Load(file).Root, new ServeSettings());
        return settings.Port != 0
            || settings is { Streams.Directory: null, StoreDirectory: null }
            || settings.ZeroMq is { HasPubSub: true } zeroMq
            && (zeroMq.Publishers.SequenceEqual(new ZeroMqSettings().Publishers) || zeroMq.Subscribers.SequenceEqual(new ZeroMqSettings().Subscribers));
    }

    // Combines random settings and compares the result of -t with a start.
    [Theory]
    [Seeds(6)]
    public async Task What_the_test_flag_accepts_starts(int seed)
    {
        var random = new Random(seed);
        KeyCase[] cases = [.. KeyCases.All.Where(c => c.Section == "File")];
        for (int round = 0; round < 8; round++)
        {
            IEnumerable<string> lines = random.GetItems(cases, 5).DistinctBy(c => c.Key, StringComparer.Ordinal)
                .Select(c => random.Next(8) == 0 ? random.GetItems(c.Invalid, 1)[0] : random.GetItems(c.Valid, 1)[0]);
            (RealRun test, RealRun start, string file) = await RunAsync("File", string.Join('\n', lines));

            Assert.True(test.ExitCode == start.ExitCode, $"seed {seed}\n{File.ReadAllText(file)}\n{test.Said}\n{start.Said}");
        }
    }

    private static KeyCase Case(string section, string key) => KeyCases.All.Single(c => c.Section == section && c.Key == key);

    private async Task<(RealRun Test, RealRun Start, string File)> RunAsync(string section, string text)
    {
        string template = text.StartsWith('^') ? text[1..] : KeyCases.Template(section).Replace("BODY", text, StringComparison.Ordinal);
        for (int attempt = 1; ; attempt++)
        {
            string file = _folder.Write("case.conf", "port: -1\n" + Fill(template));
            RealRun test = await RealRun.Of("serve", "-t", "-c", file);
            RealRun start = await RealRun.Of("serve", "-q", "-c", file);
            // Another process may have taken the free port in the meantime.
            if (!template.Contains("FREEPORT", StringComparison.Ordinal) || !start.Error.Contains("already in use", StringComparison.Ordinal) || attempt == 10)
            {
                return (test, start, file);
            }
        }
    }

    private string Fill(string text)
    {
        text = text
            .Replace("CERTIFICATE", "cert_file: \"CERT\", key_file: \"KEYFILE\"", StringComparison.Ordinal)
            .Replace("OTHER_PUBLISHERS", "publishers: \"tcp://127.0.0.1:*\"", StringComparison.Ordinal)
            .Replace("OTHER_SUBSCRIBERS", "subscribers: \"tcp://127.0.0.1:*\"", StringComparison.Ordinal)
            .Replace("LONGPREFIX", new string('p', 250), StringComparison.Ordinal)
            .Replace("ZSECRET", "FOLDER/z.secret", StringComparison.Ordinal)
            .Replace("ZCERTIFIED", "FOLDER/z.certified", StringComparison.Ordinal)
            .Replace("ZPUBLIC", "FOLDER/z.public", StringComparison.Ordinal)
            .Replace("ZUSERS", "FOLDER/z.users", StringComparison.Ordinal)
            .Replace("ZPASSWORD", "FOLDER/z.password", StringComparison.Ordinal)
            .Replace("SEEDFILE", Path(_seed), StringComparison.Ordinal)
            .Replace("KEYFILE", Path(_key), StringComparison.Ordinal)
            .Replace("CERT", Path(_certificate), StringComparison.Ordinal)
            .Replace("FOLDER", Path(_folder.Path), StringComparison.Ordinal)
            .Replace("NATSURL", _url, StringComparison.Ordinal)
            .Replace("NKEY", PublicKey, StringComparison.Ordinal)
            .Replace("HASH", Hash, StringComparison.Ordinal);
        while (text.IndexOf("FREEPORT", StringComparison.Ordinal) is >= 0 and var at)
        {
            text = string.Concat(text.AsSpan(0, at), FreePort.Next().ToString(System.Globalization.CultureInfo.InvariantCulture), text.AsSpan(at + "FREEPORT".Length));
        }

        return text;

        // In the file, a backslash begins an escape.
        static string Path(string path) => path.Replace('\\', '/');
    }
}
