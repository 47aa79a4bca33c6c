using System.CommandLine;
using System.Text.Json;
using System.Text.RegularExpressions;
using Broker.Cli.CommandLine;
using Broker.Cli.Tests.Auth;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Documentation;
using Broker.Cli.Tests.Shell;

namespace Broker.Cli.Tests.Effective;

/// <summary>Tests <c>broker config show</c>.</summary>
public sealed class ConfigShowTests : IDisposable
{
    private static readonly DocumentedText Page = DocumentedText.Read("docs/configuration.md");

    // Other names of keys, and keys that have no default of their own.
    private static readonly string[] WithoutDefault =
    [
        "listen", "http_port", "http_admin", "authorization", "allow_users_without_password", "accounts", "operator", "trusted_keys", "resolver",
        "resolver_preload", "resolver_tls", "resolver_pinned_accounts", "mappings", "default_js_domain",
    ];

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Examples =>
    [
        .. new[] { Help("config"), Help("config", "show"), DocumentedText.Read("docs/command.md").Text }.SelectMany(static text => text.Split('\n'))
            .Select(static line => line.Split('#')[0].Trim()).Where(IsOfConfig).Distinct(StringComparer.Ordinal),
    ];

    public static TheoryData<string, string> PlainValues =>
    [
        .. KeyCases.All.Where(static c => c.Section == "File")
            .SelectMany(static c => c.Valid.Where(static text => !Regex.IsMatch(text, "[A-Z]{4}|^\\^")).Select(text => new TheoryDataRow<string, string>(c.Key, text))),
    ];

    public void Dispose() => _folder.Dispose();

    /// <summary>Whether the line is a command that these tests run.</summary>
    internal static bool IsOfConfig(string line)
        => line.StartsWith("broker config ", StringComparison.Ordinal) && !line.Contains('[', StringComparison.Ordinal);

    [Fact]
    public async Task A_JWT_is_cut_in_the_table_and_whole_as_JSON()
    {
        using var folder = new StoreFolder();
        await folder.RunAsync("init", "ACME");
        string file = _folder.Write("accounts.conf", await folder.RunAsync("show", "config"));

        (int exitCode, string output, string error) = await ShellRun.OfAsync("config", "show", "-c", file);
        (_, string json, _) = await ShellRun.OfAsync("config", "show", "-c", file, "--json");

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        Assert.Matches(@"\noperator +eyJ[^ ]{13}… \(\d{3} characters\) ", output);
        Assert.Matches("\"operator\",\"value\":\"eyJ[A-Za-z0-9_.-]{300,}\"", json);
    }

    [Fact]
    public async Task Each_value_has_its_source()
    {
        const string Variable = "BROKER_CONFIG_SHOW_PING";
        Environment.SetEnvironmentVariable(Variable, "7");
        _folder.Write("limits.conf", "\nmax_payload: 2MB\n");
        string file = _folder.Write("broker.conf", $"listen: \"0.0.0.0:4300\"\ninclude limits.conf\nping_max: ${Variable}\nmax_conn: 10\n");

        (int exitCode, string output, string error) = await ShellRun.OfAsync("config", "show", "-c", file, "-p", "4333");

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        string included = Path.Combine(_folder.Path, "limits.conf");
        Assert.Equal(
            [
                "setting value source",
                $"host 0.0.0.0 {file}:1",
                "port 4333 -p",
                $"max_payload 2097152 {included}:2, included",
                $"max_connections 10 {file}:4",
                $"ping_max 7 {file}:3, ${Variable}",
            ],
            Rows(output));
    }

    [Fact]
    public async Task Json_has_the_type_of_each_value_and_its_position()
    {
        string file = _folder.Write("broker.conf", "debug: true\n  server_tags: [a, b]\nping_interval: 30s\n");

        List<JsonElement> settings = await JsonOfAsync("-c", file, "-n", "first");

        Assert.Equal(
            [
                """{"key":"server_name","value":"first","source":"flag","name":"-n"}""",
                $$"""{"key":"server_tags","value":["a","b"],"source":"file","file":"{{file}}","line":2,"column":3}""",
                $$"""{"key":"ping_interval","value":"30s","source":"file","file":"{{file}}","line":3,"column":1}""",
                $$"""{"key":"debug","value":true,"source":"file","file":"{{file}}","line":1,"column":1}""",
            ],
            settings.Select(static setting => setting.GetRawText()));
    }

    [Fact]
    public async Task All_shows_every_documented_key_with_its_default()
    {
        List<JsonElement> settings = await JsonOfAsync("--all");

        Assert.All(settings, static setting => Assert.Equal("default", setting.GetProperty("source").GetString()));
        Assert.Equal(4222, settings.Single(static setting => setting.GetProperty("key").GetString() == "port").GetProperty("value").GetInt32());
        string[] shown = [.. settings.Select(static setting => setting.GetProperty("key").GetString()!.Split('.')[0])];
        string[] rows = [.. Page.RowsOfTable("File").Where(row => !row.Any(key => shown.Contains(key, StringComparer.Ordinal))).Select(static row => row[0])];
        Assert.Empty(rows.Except(WithoutDefault));
    }

    [Fact]
    public void Each_flag_of_a_setting_is_known()
    {
        var options = new ServeOptions();

        IEnumerable<Option> known = new ServeSettingList(options).All.SelectMany(static setting => setting.Flags);

        // These flags are no settings of the server.
        Assert.Equal(["--config", "--ignore-unsupported", "--quiet"], options.OfService.Except(known).Select(static option => option.Name));
    }

    [Theory]
    [MemberData(nameof(PlainValues))]
    public async Task Each_key_of_a_file_is_shown_with_its_line(string key, string text)
    {
        string file = _folder.Write("broker.conf", text + "\n");

        List<JsonElement> settings = await JsonOfAsync("-c", file);

        bool isShown = settings.Any(static setting => setting.GetProperty("source").GetString() == "file" && setting.GetProperty("line").GetInt32() == 1);
        Assert.True(isShown, $"{key} is not shown");
    }

    [Fact]
    public async Task No_secret_is_shown_by_whatever_way_it_came()
    {
        Environment.SetEnvironmentVariable("BROKER_CONFIG_SHOW_PASSWORD", "secret-of-the-environment");
        string file = _folder.Write("broker.conf", """
            STORED: "secret-of-a-variable"
            accounts {
              A {
                INNER: "secret-of-a-block"
                users: [
                  { user: one, password: "secret-in-the-file", permissions { publish: "a.>" } }
                  { user: two, password: $STORED }
                  { user: three, pass: $INNER }
                  { user: four, password: $BROKER_CONFIG_SHOW_PASSWORD }
                ]
              }
            }
            leafnodes { remotes: [ { url: "nats-leaf://edge:secret-of-a-url@hub:7422", account: A }, { url: "nats-leaf://secret-token@hub:7422" } ] }
            """);
        (int exitCode, string table, string error) = await ShellRun.OfAsync("config", "show", "-c", file, "--all");
        List<JsonElement> json = await JsonOfAsync("-c", file);
        (_, string ofFlags, _) = await ShellRun.OfAsync("config", "show", "--user", "ada", "--pass", "secret-of-a-flag");
        (_, string ofToken, _) = await ShellRun.OfAsync("config", "show", "--auth", "secret-of-a-flag");

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        string all = string.Join('\n', json) + table + ofFlags + ofToken;
        Assert.DoesNotContain("secret-", all, StringComparison.Ordinal);
        Assert.Contains($"accounts.A.users[0].user one {file}:6", Rows(table));
        Assert.Contains($"accounts.A.users[0].password (not shown) {file}:6", Rows(table));
        Assert.Contains($"accounts.A.users[0].permissions.publish a.> {file}:6", Rows(table));
        Assert.Contains($"accounts.A.users[3].password (not shown) {file}:9, $BROKER_CONFIG_SHOW_PASSWORD", Rows(table));
        Assert.Contains($"leafnodes.remotes[0].url nats-leaf://…@hub:7422 {file}:13", Rows(table));
        Assert.Equal(["setting value source", "authorization.user ada --user", "authorization.password (not shown) --pass"], Rows(ofFlags));
        Assert.Equal(["setting value source", "authorization.token (not shown) --auth"], Rows(ofToken));
    }

    [Fact]
    public async Task A_flag_replaces_the_value_of_the_file()
    {
        string file = _folder.Write("broker.conf", """
            zeromq { publishers: [ { endpoint: "tcp://127.0.0.1:6001", allow: "127.0.0.1" } ], prefix: plant }
            authorization { user: ada, password: p }
            """);

        (_, string output, _) = await ShellRun.OfAsync(
            "config", "show", "-c", file, "--zeromq-publishers", "connect tcp://a:1", "--user", "eve", "--pass", "p");
        (_, string off, _) = await ShellRun.OfAsync("config", "show", "-c", file, "--zeromq=false");

        Assert.Equal(
            [
                "setting value source", "authorization.user eve --user", "authorization.password (not shown) --pass",
                "zeromq true --zeromq-publishers", "zeromq.publishers [connect tcp://a:1] --zeromq-publishers", $"zeromq.prefix plant {file}:1",
            ],
            Rows(output));
        Assert.Equal(
            ["setting value source", $"authorization.user ada {file}:2", $"authorization.password (not shown) {file}:2", "zeromq false --zeromq"],
            Rows(off));
    }

    [Theory]
    [InlineData("jetstream true FILE:1|jetstream.domain d FILE:1|store_dir a FILE:1")]
    [InlineData("jetstream true --js|jetstream.domain d FILE:1|store_dir b --sd", "-js", "-sd", "b")]
    [InlineData("jetstream false --js|store_dir none FILE:1", "-js=false")]
    public async Task Streams_come_from_flags_or_the_block(string expected, params string[] flags)
    {
        string file = _folder.Write("broker.conf", "jetstream { store_dir: a, domain: d }\n");

        (_, string output, _) = await ShellRun.OfAsync(["config", "show", "-c", file, .. flags]);

        Assert.Equal(expected.Split('|'), Rows(output).Skip(1).Select(row => row.Replace(file, "FILE", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Errors_are_those_of_the_test_flag()
    {
        string file = _folder.Write("broker.conf", "max_conections: 4222\nmax_payload: big\n");
        CommandRun test = await CommandRun.Of("serve", "-t", "-c", file);

        CommandRun show = await CommandRun.Of("config", "show", "-c", file);

        Assert.Equal(ExitCode.Failure, show.ExitCode);
        Assert.Equal(test.Error, show.Error);
        Assert.Contains("did you mean \"max_connections\"?", show.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(ExitCode.Usage, "-cluster is not supported", "config", "show", "-cluster", "nats://a:1")]
    [InlineData(ExitCode.Success, "warning: -cluster is not supported", "config", "show", "-cluster", "nats://a:1", "--ignore-unsupported")]
    [InlineData(ExitCode.Usage, "--user and --pass must be given together", "config", "show", "--user", "ada")]
    [InlineData(ExitCode.Usage, "unknown flag --signal", "config", "show", "--signal", "reload")]
    [InlineData(ExitCode.Usage, "a command is missing: broker config show", "config")]
    public async Task What_makes_no_sense_is_refused(int exitCode, string said, params string[] args)
    {
        CommandRun run = await CommandRun.Of(args);

        Assert.Equal(exitCode, run.ExitCode);
        Assert.Contains(said, run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Examples))]
    public async Task Each_example_of_help_and_page_runs(string line)
    {
        string file = _folder.Write("broker.conf", "ping_max: 3\n");
        string[] args = [.. line.Split(' ').Skip(1).Select(word => word == "broker.conf" ? file : word)];

        (int exitCode, string output, string error) = await ShellRun.OfAsync(args);

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        Assert.Contains("ping_max", output, StringComparison.Ordinal);
    }

    private static async Task<List<JsonElement>> JsonOfAsync(params string[] args)
    {
        (int exitCode, string output, string error) = await ShellRun.OfAsync(["config", "show", "--json", .. args]);
        Assert.True(exitCode == ExitCode.Success, error);
        return [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => JsonDocument.Parse(line).RootElement)];
    }

    // Each row with one space between its cells.
    private static string[] Rows(string table) => [.. table.TrimEnd('\n').Split('\n').Select(static row => Regex.Replace(row, " {2,}", " "))];

    private static string Help(params string[] path) => CommandRun.Of([.. path, "--help"]).GetAwaiter().GetResult().Output;
}
