using Broker.Cli.Configuration;

namespace Broker.Cli.Tests.Configuration;

/// <summary>Parses texts as if they were a file with the name <c>test.conf</c>.</summary>
internal static class Parsing
{
    public static ConfigBlock Parse(string text, params (string Name, string Value)[] environment)
    {
        var scopes = new ConfigScopes(name => environment.FirstOrDefault(pair => pair.Name == name).Value);
        var root = new ConfigBlock(new ConfigPosition("test.conf", 1, 1));
        scopes.Enter(root);
        new ConfigParser(new ConfigCursor(text, "test.conf"), scopes, NoInclude).ParseFile(root);
        return root;
    }

    /// <summary>Returns the value of <c>key</c> in the text, in the form of error messages.</summary>
    public static string? Quote(string text, params (string Name, string Value)[] environment)
        => Parse(text, environment).Find("key")?.Value.ToString();

    public static string Error(string text) => Assert.Throws<ConfigException>(() => Parse(text)).Message;

    private static void NoInclude(string file, ConfigPosition position, ConfigBlock block)
        => throw new ConfigException($"no includes here: {file}", position);
}
