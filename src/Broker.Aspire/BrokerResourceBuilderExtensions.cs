using Aspire.Hosting.ApplicationModel;
using Broker.Aspire;

namespace Aspire.Hosting;

/// <summary>Adds Broker servers to an app host.</summary>
public static class BrokerResourceBuilderExtensions
{
    /// <summary>
    /// Adds a Broker server. The app host starts the command <c>broker serve</c> with a port for NATS clients and a
    /// port for the monitoring pages, whose link is on the dashboard. The server is healthy while its page
    /// <c>/healthz</c> says so.
    /// </summary>
    /// <remarks>
    /// The command is the one of <paramref name="command"/>, or of the key <c>Broker:Command</c> in the app host's
    /// configuration. Otherwise it is the tool <c>Broker.Cli</c> of the nearest tool manifest, <c>broker</c> in the
    /// <c>PATH</c>, or the global tool. If there is none, the app host does not start, and the exception says where it
    /// was searched.
    /// </remarks>
    /// <example><code>
    /// var broker = builder.AddBroker("broker").WithZeroMq();
    /// builder.AddProject&lt;Projects.Worker&gt;("worker").WithReference(broker).WaitFor(broker);
    /// </code></example>
    /// <param name="builder">The builder of the app host.</param>
    /// <param name="name">The name of the resource and of its connection string.</param>
    /// <param name="port">The port for NATS clients. Null means that each run has another port.</param>
    /// <param name="command">
    /// The name or the path of the command. A path may be relative to the app host's folder. A file with the extension
    /// <c>.dll</c> is started by <c>dotnet</c>.
    /// </param>
    /// <returns>The builder of the resource.</returns>
    public static IResourceBuilder<BrokerResource> AddBroker(
        this IDistributedApplicationBuilder builder, [ResourceName] string name, int? port = null, string? command = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        var program = BrokerProgram.Find(
            command ?? builder.Configuration[BrokerProgram.ConfigurationKey], builder.AppHostDirectory, BrokerProgram.SearchFolders());
        var resource = new BrokerResource(name, program.Command, builder.AppHostDirectory);
        if (program.Problem is { } problem && builder.ExecutionContext.IsRunMode)
        {
            // The application model is complete first, so that a test can replace the command.
            builder.Eventing.Subscribe<BeforeStartEvent>((_, _) => Uses(resource, program)
                ? throw new DistributedApplicationException($"The resource '{name}' cannot start: {problem}")
                : Task.CompletedTask);
        }

        return builder.AddResource(resource)
            .WithEndpoint(port: port, scheme: "nats", name: BrokerResource.NatsEndpointName)
            .WithHttpEndpoint(name: BrokerResource.MonitoringEndpointName)
            .WithUrlForEndpoint(BrokerResource.MonitoringEndpointName, static url => url.DisplayText = "Monitoring page")
            .WithHttpHealthCheck("/healthz", endpointName: BrokerResource.MonitoringEndpointName)
            .WithArgs(context => AddArguments(context, resource, program));
    }

    /// <summary>
    /// Starts the ZeroMQ bridge of the server: PUB sockets connect to <see cref="BrokerResource.PublishersEndpoint"/>,
    /// SUB sockets to <see cref="BrokerResource.SubscribersEndpoint"/>.
    /// </summary>
    /// <remarks>Routes of other patterns are in a file (<see cref="WithConfigurationFile"/>).</remarks>
    /// <param name="builder">The builder of the resource.</param>
    /// <param name="publishersPort">The port for PUB sockets. Null means that each run has another port.</param>
    /// <param name="subscribersPort">The port for SUB sockets. Null means that each run has another port.</param>
    /// <param name="prefix">
    /// The first token of the subjects for ZeroMQ topics. Null means the default, <c>zmq</c>.
    /// </param>
    /// <returns>The builder of the resource.</returns>
    public static IResourceBuilder<BrokerResource> WithZeroMq(
        this IResourceBuilder<BrokerResource> builder, int? publishersPort = null, int? subscribersPort = null, string? prefix = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        BrokerResource resource = builder.Resource;
        return builder
            .WithEndpoint(port: publishersPort, scheme: "tcp", name: BrokerResource.PublishersEndpointName)
            .WithEndpoint(port: subscribersPort, scheme: "tcp", name: BrokerResource.SubscribersEndpointName)
            .WithArgs(context =>
            {
                context.Args.Add("--zeromq-publishers");
                context.Args.Add(Bind(resource.PublishersEndpoint));
                context.Args.Add("--zeromq-subscribers");
                context.Args.Add(Bind(resource.SubscribersEndpoint));
                if (prefix is not null)
                {
                    context.Args.Add("--zeromq-prefix");
                    context.Args.Add(prefix);
                }
            });
    }

    /// <summary>Starts the server with a configuration file (<c>broker serve -c</c>).</summary>
    /// <remarks>
    /// The app host sets the ports for NATS clients and for the monitoring pages, whatever the file says. Addresses of
    /// other listeners are those of the file.
    /// </remarks>
    /// <param name="builder">The builder of the resource.</param>
    /// <param name="path">The path of the file, which may be relative to the app host's folder.</param>
    /// <returns>The builder of the resource.</returns>
    public static IResourceBuilder<BrokerResource> WithConfigurationFile(this IResourceBuilder<BrokerResource> builder, string path)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(path);
        builder.Resource.HasConfigurationFile = true;
        string file = Path.GetFullPath(path, builder.ApplicationBuilder.AppHostDirectory);
        return builder.WithArgs("-c", file);
    }

    /// <summary>Requires a token of each client. The connection string contains it.</summary>
    /// <remarks>
    /// The token is an argument of the command, which other users of the machine can read. In production, write it to
    /// a configuration file.
    /// </remarks>
    /// <param name="builder">The builder of the resource.</param>
    /// <param name="token">The token.</param>
    /// <returns>The builder of the resource.</returns>
    public static IResourceBuilder<BrokerResource> WithToken(this IResourceBuilder<BrokerResource> builder, IResourceBuilder<ParameterResource> token)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(token);
        builder.Resource.Token = token.Resource;
        return builder.WithArgs("--auth", token.Resource);
    }

    /// <summary>Requires a user name and a password of each client. The connection string contains both.</summary>
    /// <remarks>
    /// They are arguments of the command, which other users of the machine can read. In production, write them to a
    /// configuration file.
    /// </remarks>
    /// <param name="builder">The builder of the resource.</param>
    /// <param name="user">The name of the user.</param>
    /// <param name="password">The password.</param>
    /// <returns>The builder of the resource.</returns>
    public static IResourceBuilder<BrokerResource> WithUser(
        this IResourceBuilder<BrokerResource> builder, IResourceBuilder<ParameterResource> user, IResourceBuilder<ParameterResource> password)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(user);
        ArgumentNullException.ThrowIfNull(password);
        (builder.Resource.User, builder.Resource.Password) = (user.Resource, password.Resource);
        return builder.WithArgs("--user", user.Resource, "--pass", password.Resource);
    }

    private static void AddArguments(CommandLineArgsCallbackContext context, BrokerResource resource, BrokerProgram program)
    {
        // A command that was replaced by WithCommand needs no arguments of the one that was found.
        if (Uses(resource, program))
        {
            foreach (string argument in program.Arguments)
            {
                context.Args.Add(argument);
            }
        }

        context.Args.Add("serve");
        context.Args.Add("-q");
        context.Args.Add("-p");
        context.Args.Add(resource.NatsEndpoint.Property(EndpointProperty.TargetPort));
        context.Args.Add("-m");
        context.Args.Add(resource.MonitoringEndpoint.Property(EndpointProperty.TargetPort));
        if (!resource.HasConfigurationFile)
        {
            context.Args.Add("-n");
            context.Args.Add(resource.Name);
        }
    }

    private static bool Uses(BrokerResource resource, BrokerProgram program)
        => string.Equals(resource.Command, program.Command, StringComparison.Ordinal);

    private static ReferenceExpression Bind(EndpointReference endpoint)
        => ReferenceExpression.Create($"bind tcp://127.0.0.1:{endpoint.Property(EndpointProperty.TargetPort)}");
}
