using NetMQGuide;

// Five programs with NetMQ's API. For example:
//   dotnet run --project samples/NetMQGuide -- greetings
return Guide.Run(args, Console.Out);
