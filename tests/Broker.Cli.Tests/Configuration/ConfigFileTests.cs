using Broker.Cli.Configuration;

namespace Broker.Cli.Tests.Configuration;

public sealed class ConfigFileTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void An_include_is_relative_to_the_file_that_includes()
    {
        string main = _folder.Write("main.conf", "include sub/one.conf\nport: $base");
        _folder.Write("sub/one.conf", "include 'two.conf'\nhost: one");
        _folder.Write("sub/two.conf", "base: 4333\nzeromq { }");

        var file = ConfigFile.Load(main);

        Assert.Equal(["base", "zeromq", "host", "port"], file.Root.Entries.Select(entry => entry.Key));
        Assert.Equal("4333", file.Root.Find("port")!.Value.ToString());
    }

    [Fact]
    public void An_include_inside_a_block_fills_that_block()
    {
        string main = _folder.Write("main.conf", "zeromq {\n include bridge.conf\n}");
        _folder.Write("bridge.conf", "prefix: plant");

        var block = (ConfigBlock)ConfigFile.Load(main).Root.Find("zeromq")!.Value;

        Assert.Equal("\"plant\"", block.Find("prefix")!.Value.ToString());
    }

    [Fact]
    public void An_error_in_an_included_file_names_that_file()
    {
        string main = _folder.Write("main.conf", "\ninclude one.conf");
        string one = _folder.Write("one.conf", "port: 1\nhost: a b");

        ConfigException error = Assert.Throws<ConfigException>(() => ConfigFile.Load(main));

        Assert.EndsWith($"found 'b' at {one}:2:9", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_file_that_includes_itself_by_way_of_another_is_refused()
    {
        string main = _folder.Write("main.conf", "include one.conf");
        string one = _folder.Write("one.conf", "port: 1\ninclude main.conf");

        ConfigException error = Assert.Throws<ConfigException>(() => ConfigFile.Load(main));

        Assert.Equal($"the file {main} includes itself at {one}:2:1", error.Message);
    }

    [Fact]
    public void Includes_are_limited_in_depth()
    {
        for (int i = 0; i < 30; i++)
        {
            _folder.Write($"{i}.conf", $"include {i + 1}.conf");
        }

        ConfigException error = Assert.Throws<ConfigException>(() => ConfigFile.Load(Path.Combine(_folder.Path, "0.conf")));

        Assert.Contains("includes are nested more than 16 levels deep", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_missing_file_and_a_missing_include_are_told_apart()
    {
        string main = _folder.Write("main.conf", "include nowhere.conf");

        ConfigUnreadableException missing = Assert.Throws<ConfigUnreadableException>(() => ConfigFile.Load(main + "x"));
        ConfigException include = Assert.Throws<ConfigException>(() => ConfigFile.Load(main));

        Assert.Equal($"cannot read the configuration file {main}x: there is no such file", missing.Message);
        Assert.EndsWith($"nowhere.conf: there is no such file, included at {main}:1:1", include.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_directory_is_no_configuration_file()
    {
        ConfigUnreadableException error = Assert.Throws<ConfigUnreadableException>(() => ConfigFile.Load(_folder.Path));

        Assert.Equal($"cannot read the configuration file {_folder.Path}: it is a directory", error.Message);
    }

    [Fact]
    public void A_file_beyond_the_limit_is_refused()
    {
        string main = _folder.Write("main.conf", new string('#', 5 * 1024 * 1024));

        Assert.Contains("is larger than", Assert.Throws<ConfigException>(() => ConfigFile.Load(main)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("port: $PW")]
    [InlineData("max_payload: $PW")]
    [InlineData("tls { cert_file: $PW, key_file: $PW }")]
    [InlineData("server_name: [ $PW ]")]
    [InlineData("host: $NUMBER")]
    public void The_value_of_an_environment_variable_is_not_shown(string text)
    {
        string main = _folder.Write("main.conf", text);
        var file = ConfigFile.Load(main, static name => name == "PW" ? "s3cret!" : "99999999");

        string problem = Assert.Throws<ConfigException>(() => ServeConfig.Bind(file.Root, new ServeSettings(), [])).Message;

        Assert.DoesNotContain("s3cret", problem, StringComparison.Ordinal);
        Assert.DoesNotContain("99999999", problem, StringComparison.Ordinal);
    }

    [Fact]
    public void A_number_of_an_environment_variable_that_is_too_large_is_not_shown()
    {
        string main = _folder.Write("main.conf", "port: $PW");

        ConfigBlock root = ConfigFile.Load(main, static _ => "98765432109876543210").Root;
        string problem = Assert.Throws<ConfigException>(() => ServeConfig.Bind(root, new ServeSettings(), [])).Message;

        Assert.DoesNotContain("9876", problem, StringComparison.Ordinal);
    }

    [Fact]
    public void A_key_set_twice_takes_the_last_value_with_a_warning()
    {
        string main = _folder.Write("main.conf", "port: 1\nport: 2");

        var file = ConfigFile.Load(main);

        Assert.Equal("2", file.Root.Find("port")!.Value.ToString());
        Assert.Equal($"\"port\" is set twice; the value from {main}:1:1 is replaced at {main}:2:1", Assert.Single(file.Warnings).ToString());
    }
}
