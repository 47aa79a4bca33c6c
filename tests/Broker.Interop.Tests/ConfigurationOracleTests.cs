using Broker.Cli.Configuration;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests;

/// <summary>Tests that the broker accepts and refuses the same configuration files as nats-server.</summary>
public sealed class ConfigurationOracleTests
{
    [Theory]
    [InlineData("port 4333")]
    [InlineData("port = 4333 # comment")]
    [InlineData("port : 4333 // comment")]
    [InlineData("port: \"4333\"")]
    [InlineData("PORT: 4333\r\nhost x\r\n")]
    [InlineData("'port': 4333")]
    [InlineData("port: 4333, host: foo; debug: yEs")]
    [InlineData("port: 4333 host: foo")]
    [InlineData("{\"port\": 4333, \"host\": \"x\"}")]
    [InlineData("port == 3")]
    [InlineData("= 4")]
    [InlineData("base = 4333\nport: $base")]
    [InlineData("port: $nobody_sets_this")]
    [InlineData("base: {y: 1}\nport: $base")]
    [InlineData("port: 1\nport: 2")]
    [InlineData("port: 1_000")]
    [InlineData("port: 0x10")]
    [InlineData("listen: 4333")]
    [InlineData("listen: localhost")]
    [InlineData("listen: 127.0.0.1:4333")]
    [InlineData("listen: [::1]:4333")]
    [InlineData("max_payload: 1MiB")]
    [InlineData("max_payload: \"1mb\"")]
    [InlineData("max_payload: 1x")]
    [InlineData("max_payload: 1.5")]
    [InlineData("max_payload: 2e3")]
    [InlineData("max_payload: 10g")]
    [InlineData("max_paylod: 3")]
    [InlineData("write_deadline: \"1m30s\"")]
    [InlineData("write_deadline: 10s")]
    [InlineData("write_deadline: \"1d\"")]
    [InlineData("write_deadline: \"\"")]
    [InlineData("debug: TRUE")]
    [InlineData("debug: \"true\"")]
    [InlineData("debug: 1")]
    [InlineData("server_name: 12")]
    [InlineData("server_name: \"a\\nb\\x41\"")]
    [InlineData("server_name: \"a\\qb\"")]
    [InlineData("server_name: \"abc")]
    [InlineData("server_name: \"x\"y")]
    [InlineData("server_name: (\n a) b\n)\n")]
    [InlineData("server_name: (abc)")]
    [InlineData("server_name:\n\"x\"")]
    [InlineData("include \"nowhere.conf\"")]
    [InlineData("# only a comment")]
    [InlineData("")]
    public async Task Both_readers_agree(string text)
    {
        string program = Programs.Require("nats-server");
        DirectoryInfo folder = Directory.CreateTempSubdirectory("oracle-");
        try
        {
            string file = Path.Combine(folder.FullName, "test.conf");
            await File.WriteAllTextAsync(file, text, TestContext.Current.CancellationToken);

            (int exitCode, string? verdict) = await Programs.RunAsync(program, "", "-t", "-c", file);

            Assert.True(exitCode == 0 == Accepts(file, out string? problem), $"nats-server: {verdict}\nbroker: {problem}");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    // nats-server treats an empty name or secret differently in each place: no authentication, or a user without
    // credentials.
    [Theory]
    [InlineData("authorization { user: $U, password: p }", "user", true)]
    [InlineData("authorization { user: u, password: $U }", "password", true)]
    [InlineData("authorization { token: $U }", "token", true)]
    [InlineData("authorization { users: [ { user: u, password: $U } ] }", "password", true)]
    [InlineData("authorization { users: [ { user: $U, password: p } ] }", "user", false)]
    [InlineData("accounts { A { users: [ { user: $U, password: p } ] } }", "user", false)]
    [InlineData("accounts { A { users: [ { user: u, password: $U } ] } }", "password", true)]
    public async Task What_a_variable_leaves_empty_of_who_may_come_in_is_refused_at_the_start(string text, string key, bool isTakenThere)
    {
        string program = Programs.Require("nats-server");
        DirectoryInfo folder = Directory.CreateTempSubdirectory("oracle-");
        try
        {
            string file = Path.Combine(folder.FullName, "test.conf");
            await File.WriteAllTextAsync(file, text, TestContext.Current.CancellationToken);

            await using var there = PeerProcess.Start("nats-server", program, ("U", ""), ["-t", "-c", file]);
            await using var here = PeerProcess.Start(
                "broker", BrokerProgram.Command[0], ("U", ""), [.. BrokerProgram.Command[1..], "serve", "-p", "-1", "-c", file]);

            Assert.Equal(isTakenThere, await there.WaitForExitAsync() == 0);
            Assert.Equal(1, await here.WaitForExitAsync());
            Assert.Contains($"\"{key}\" is empty", here.Errors, StringComparison.Ordinal);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static bool Accepts(string file, out string problem)
    {
        try
        {
            ServeConfig.Bind(ConfigFile.Load(file).Root, new());
            problem = "valid";
            return true;
        }
        catch (ConfigException e)
        {
            problem = e.Message;
            return false;
        }
    }
}
