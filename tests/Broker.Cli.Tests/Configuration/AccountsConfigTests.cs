using Broker.Cli.Configuration;
using Broker.Server;

namespace Broker.Cli.Tests.Configuration;

public sealed class AccountsConfigTests
{
    [Fact]
    public void Accounts_have_users_exports_and_imports()
    {
        SecuritySettings security = Bind("""
            system_account: S
            no_auth_user: b
            accounts {
              A {
                users: [ { user: a, password: "p" } ]
                default_permissions { publish: "x.>" }
                exports: [ { stream: "x.>" }, { service: "q", accounts: [B], response_type: stream, threshold: "5s" }, { service: "r", response: "chunked" } ]
              }
              B {
                users: [ { user: b, password: "p" } ]
                imports: [
                  { stream: { account: A, subject: "x.>" }, prefix: "p." }
                  { stream: { account: A, subject: "x.*" }, to: "y.$1" }
                  { service: { account: A, subject: q }, to: "local.q", share: true }
                ]
              }
              S { users: [ { user: s, password: "p" } ] }
            }
            """).Security!;

        Assert.Equal(["A", "B", "S"], security.Accounts.Select(a => a.Name));
        Assert.Equal(["a", "b", "s"], security.AllUsers.Select(u => u.Name));
        Assert.True(security.IsRequired);
        Assert.Equal(("S", "b"), (security.SystemAccount, security.NoAuthUser));
        (AccountOptions? a, AccountOptions? b) = (security.Accounts[0], security.Accounts[1]);
        Assert.Equal(["x.>"], a.DefaultPermissions!.Publish.Allow);
        Assert.Null(Assert.IsType<StreamExport>(a.Exports[0]).Accounts);
        ServiceExport service = Assert.IsType<ServiceExport>(a.Exports[1]);
        Assert.Equal(["B"], service.Accounts);
        Assert.Equal((ServiceResponse.Stream, 5d), (service.Response, service.ResponseTimeout.TotalSeconds));
        Assert.Equal(ServiceResponse.Chunked, Assert.IsType<ServiceExport>(a.Exports[2]).Response);
        StreamImport stream = Assert.IsType<StreamImport>(b.Imports[0]);
        Assert.Equal(("A", "x.>", "p"), (stream.Account, stream.Subject, stream.Prefix));
        Assert.Equal("y.$1", b.Imports[1].To);
        Assert.Equal(("q", "local.q"), (Assert.IsType<ServiceImport>(b.Imports[2]).Subject, b.Imports[2].To));
    }

    [Fact]
    public void The_account_of_events_may_have_users()
        => Assert.Equal("$SYS", Bind("accounts { $SYS { users: [ { user: s, password: p } ] } }").Security!.Accounts.Single().Name);

    [Theory]
    [InlineData("accounts: [A]", "\"accounts\" must be a block of blocks")]
    [InlineData("accounts { A: 5 }", "the account \"A\" must be a block, not 5")]
    [InlineData("accounts { A { user: [] } }", "unknown key \"user\"")]
    [InlineData("accounts { A { exports: [ { stream: x, service: y } ] } }", "an export must have either a \"stream\" or a \"service\"")]
    [InlineData("accounts { A { exports: [ { stream: x, response: stream } ] } }", "response keys are only valid for a service")]
    [InlineData("accounts { A { exports: [ { service: x, response: foo } ] } }", "\"response\" must be single, stream or chunked")]
    [InlineData("accounts { A { exports: { stream: x } } }", "\"exports\" must be an array of blocks")]
    [InlineData("accounts { A { exports: [ { steam: x } ] } }", "unknown key \"steam\"")]
    [InlineData("accounts { A { imports: [ { stream: x } ] } }", "\"stream\" must be a block such as")]
    [InlineData("accounts { A { imports: [ { stream: { account: B } } ] } }", "\"stream\" of an import must be a block such as")]
    [InlineData("accounts { A { imports: [ { stream: { account: B, subject: x } } ] } }", "Account 'A' imports 'x' of 'B', but there is no such account")]
    [InlineData("accounts { A { }, B { imports: [ { service: { account: A, subject: x } } ] } }", "Account 'B' imports 'x' of 'A', which exports no such service")]
    [InlineData("accounts { A { users: [ { user: u, password: x } ] }, B { users: [ { user: u, password: y } ] } }", "two users have the name \"u\"")]
    [InlineData("accounts { A { users: [ { user: u, password: x } ] } }\nauthorization { users: [ { user: u, password: x } ] }", "two users have the name \"u\"")]
    [InlineData("accounts { A { } }\nauthorization { token: x }", "\"token\" and \"accounts\" cannot be combined")]
    [InlineData("accounts { A { } }\nauthorization { user: x, password: y }", "a single \"user\" with a \"password\" and \"accounts\" cannot be combined")]
    [InlineData("accounts { A { } }\nno_auth_user: x", "\"no_auth_user\" must be the name of one of the users")]
    [InlineData("accounts { A { } }\nsystem_account: X", "The system account is to be 'X', but there is no such account")]
    [InlineData("accounts { $G { } }", "The account $G is built in")]
    [InlineData("acounts { }", "did you mean \"accounts\"?")]
    public void What_is_wrong_is_named(string text, string problem)
    {
        ConfigException e = Assert.Throws<ConfigException>(() => Bind(text));

        Assert.Contains(e.Problems, p => p.ToString().Contains(problem, StringComparison.Ordinal));
    }

    private static ServeSettings Bind(string text)
    {
        using var folder = new TemporaryFolder();
        return ServeConfig.Bind(ConfigFile.Load(folder.Write("b.conf", text)).Root, new ServeSettings());
    }

    [Theory]
    [InlineData(6, "{ stream: { account: A, subject: \"none.x\" } }", "{ service: { account: A, subject: q } }")]
    [InlineData(7, "{ stream: { account: A, subject: \"x.>\" } }", "{ service: { account: A, subject: none } }")]
    [InlineData(7, "{ service: { account: A, subject: q } }", "{ service: { account: A, subject: q } }")]
    [InlineData(7, "{ stream: { account: A, subject: \"x.*\" } }", "{ stream: { account: C, subject: x } }")]
    [InlineData(9, "{ stream: { account: A, subject: \"x.*\" } }", "{ stream: { account: A, subject: \"x.y\" } }")]
    public void An_import_that_does_not_fit_has_its_own_line(int line, string first, string second)
    {
        ConfigException e = Assert.Throws<ConfigException>(() => Bind($$"""
            accounts {
              A { exports: [ { stream: "x.>" }
                             { service: q } ] }
              B { exports: [ { service: r } ]
                imports: [
                  {{first}}
                  {{second}}
                ] }
              D { imports: [ { service: { account: B, subject: {{(line == 9 ? "none" : "r")}} } } ] }
            }
            """));

        Assert.Equal(line, Assert.Single(e.Problems).Position.Line);
    }

    [Fact]
    public void An_export_that_does_not_fit_has_its_own_line()
    {
        ConfigException e = Assert.Throws<ConfigException>(() => Bind("accounts {\nA { exports: [ { stream: a }\n{ stream: b, accounts: [NONE] }\n{ stream: c } ] }\n}"));

        Assert.Equal(3, Assert.Single(e.Problems).Position.Line);
    }
}
